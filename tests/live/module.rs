//! The module in the repository: made from the sources of today, and of the
//! same opinion as they are.

use super::{captions, files, greedy, list, root};
use live::sources::{MODULE, carries, digest};
use live::{Playground, Session, answer};
use serde_json::{Value, json};
use std::fs;
use std::thread;
use wasmi::{Engine, Instance, Linker, Module, Store, TypedFunc};

/// How far numbers may be apart: one machine multiplies and adds in one
/// step, and the other in two.
const TOLERANCE: f64 = 1e-4;

fn bytes() -> Vec<u8> {
    fs::read(root().join(MODULE)).unwrap()
}

#[test]
fn the_module_is_made_from_the_sources_of_today() {
    let is_fresh = carries(&bytes(), &digest(&root()).unwrap());
    assert!(
        is_fresh,
        "{MODULE} was made from other sources; `cargo run --package live` \
         builds it anew, where the target wasm32-unknown-unknown is installed"
    );
}

#[test]
fn the_module_has_a_megabyte_at_most() {
    assert!(bytes().len() <= 1_000_000);
}

/// The module in an interpreter, called as a page calls it.
struct Interpreter {
    store: Store<()>,
    instance: Instance,
}

impl Interpreter {
    /// A module without a model.
    fn new() -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, bytes()).unwrap();
        let mut store = Store::new(&engine, ());
        // It wants nothing from the page.
        let instance = Linker::new(&engine)
            .instantiate_and_start(&mut store, &module)
            .unwrap();
        Self { store, instance }
    }

    fn with_model() -> Self {
        let mut new = Self::new();
        let files = files();
        new.write(&files.concat());
        let start: TypedFunc<(u32, u32, u32), u32> =
            new.instance.get_typed_func(&new.store, "start").unwrap();
        let lengths = files.each_ref().map(|file| file.len() as u32);
        let length = start.call(&mut new.store, lengths.into()).unwrap();
        assert!(new.read(length).contains("\"layers\":4"));
        new
    }

    fn function<A>(&self, name: &str) -> TypedFunc<A, u32>
    where
        A: wasmi::WasmParams,
    {
        self.instance.get_typed_func(&self.store, name).unwrap()
    }

    /// Writes to where there is room; whether there is.
    fn write(&mut self, bytes: &[u8]) -> bool {
        let length = bytes.len() as u32;
        let room = self.function::<u32>("room");
        let place = room.call(&mut self.store, length).unwrap();
        let memory = self.instance.get_memory(&self.store, "memory").unwrap();
        if place > 0 {
            memory.write(&mut self.store, place as usize, bytes).unwrap();
        }
        place > 0
    }

    fn read(&mut self, length: u32) -> String {
        let reply = self.function::<()>("reply");
        let place = reply.call(&mut self.store, ()).unwrap() as usize;
        let memory = self.instance.get_memory(&self.store, "memory").unwrap();
        let reply = &memory.data(&self.store)[place..][..length as usize];
        String::from_utf8(reply.to_vec()).unwrap()
    }

    fn ask(&mut self, request: &[u8]) -> String {
        self.call("answer", request)
    }

    /// The reply of a function of the module.
    fn call(&mut self, name: &str, request: &[u8]) -> String {
        self.write(request);
        let answer = self.function::<u32>(name);
        let length = request.len() as u32;
        let length = answer.call(&mut self.store, length).unwrap();
        self.read(length)
    }
}

/// Compares all that two answers say, and returns how far apart two numbers
/// are at most.
fn compare(place: &str, one: &Value, other: &Value) -> f64 {
    let gap = match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            (one.as_f64().unwrap() - other.as_f64().unwrap()).abs()
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{place}");
            let pairs = one.iter().zip(other);
            pairs.map(|(a, b)| compare(place, a, b)).fold(0.0, f64::max)
        }
        (Value::Object(one), Value::Object(other)) => {
            assert_eq!(one.len(), other.len(), "{place}");
            let pairs = one.iter().map(|(key, value)| {
                compare(&format!("{place}.{key}"), value, &other[key])
            });
            pairs.fold(0.0, f64::max)
        }
        (one, other) => {
            assert_eq!(one, other, "{place}");
            0.0
        }
    };
    assert!(gap <= TOLERANCE, "{place}: {one} and {other}");
    gap
}

/// Gives likely tokens an order in which two whose logits are nearly equal
/// do not change places, and leaves out those that may be the eleventh.
fn steady(answer: &mut Value) {
    for step in answer["answer"]["steps"].as_array_mut().unwrap() {
        let likely = step["likely"].as_array_mut().unwrap();
        let logit = |one: &Value| one["logit"].as_f64().unwrap();
        let last = logit(&likely[likely.len() - 1]);
        likely.retain(|one| logit(one) > last + 2.0 * TOLERANCE);
        likely.sort_by_key(|one| one["id"].as_u64());
    }
}

/// The answers of the module and of this program to some captions. Returns
/// how far apart two numbers are at most.
fn agree(captions: &[String]) -> f64 {
    let [settings, merges, model] = files();
    let native = Session::new(&settings, &merges, &model).unwrap();
    let mut module = Interpreter::with_model();
    let gaps = captions.iter().map(|caption| {
        let request = greedy(caption).to_string();
        let replies =
            [module.ask(request.as_bytes()), answer(&native, &request)];
        let [mut one, mut other] =
            replies.map(|reply| serde_json::from_str(&reply).unwrap());
        steady(&mut one);
        steady(&mut other);
        assert_eq!(list(&one["answer"]["maps"]["cross"]).len(), 4);
        compare("", &one, &other)
    });
    gaps.fold(0.0, f64::max)
}

#[test]
fn fifty_captions_have_the_same_numbers_in_the_module() {
    let captions = captions();
    assert_eq!(captions.len(), 50);
    let (one, other) = captions.split_at(25);
    let gap = thread::scope(|scope| {
        let halves = [one, other].map(|half| scope.spawn(|| agree(half)));
        halves.map(|half| half.join().unwrap())
    });
    println!("apart by {:e} at most", gap[0].max(gap[1]));
}

#[test]
fn a_model_learns_the_same_in_the_module() {
    let (mut module, mut native) =
        (Interpreter::new(), Playground::default());
    let begin =
        json!({"begin": {"task": "dates", "seed": 1, "switch": "mask"}});
    let learn = json!({"learn": {"updates": 1, "text": "1 may 1900", "count": false}});
    for request in [begin, learn.clone(), learn].map(|it| it.to_string()) {
        let replies = [
            module.call("learn", request.as_bytes()),
            native.answer(&request),
        ];
        let [one, other] =
            replies.map(|it| serde_json::from_str::<Value>(&it).unwrap());
        compare("", &one, &other);
    }
}

#[test]
fn the_module_refuses_what_is_no_request() {
    let mut module = Interpreter::new();
    let none = module.ask(greedy("a dog").to_string().as_bytes());
    assert_eq!(none, r#"{"error":"The model is not loaded yet."}"#);
    let text = module.ask(b"\xff\xfe");
    assert_eq!(
        text,
        r#"{"error":"This is no text: its bytes are not UTF-8."}"#
    );
    let long = vec![b'a'; (1 << 24) + 1];
    assert!(!module.write(&long));
    let reply = module.ask(&long);
    assert!(reply.contains("This text is too long: 16777217 bytes"));
    module.write(b"format = 3");
    let start = module.function::<(u32, u32, u32)>("start");
    for lengths in [(10, 0, 0), (4, 4, 4), (u32::MAX, u32::MAX, u32::MAX)] {
        let length = start.call(&mut module.store, lengths).unwrap();
        let reply = module.read(length);
        assert!(reply.contains("model"), "{reply}");
    }
}
