//! What goes into a function, what should come out, and what comes out if
//! it is wrong: as JSON and as safetensors.

use crate::plain::{Nothing, Plain};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Results that are closer than this, against their largest number, are
/// called equal, so that a program may compute with `f32`.
const TOLERANCE: f64 = 1e-5;

/// A function with some cases.
pub struct Part {
    pub name: &'static str,
    /// The chapter of the book that explains it.
    chapter: &'static str,
    arguments: &'static str,
    cases: Vec<Case>,
}

/// What goes in and what comes out.
pub struct Case {
    name: &'static str,
    arguments: Value,
    expected: Value,
    /// What comes out for each mistake. There may be several results for
    /// one, because programs differ in what a row that sees nothing gets.
    wrong: Vec<(&'static str, Vec<Value>)>,
}

/// A case of which the crate says what to expect, and the plain formulas
/// what the mistakes would give.
pub fn case(
    name: &'static str,
    arguments: Value,
    expected: Value,
    plain: impl Fn(&Plain) -> Value,
) -> Case {
    let right = Plain::default();
    let found = plain(&right);
    let gap = apart(&found, &expected);
    assert!(gap < 1e-12, "{name}: apart by {gap}: {found} {expected}");
    let wrong = right.asked().into_iter().map(|mistake| {
        let mut results: Vec<Value> = Vec::new();
        for nothing in [Nothing::Zero, Nothing::Even, Nothing::Nan] {
            let found = plain(&Plain::making(mistake, nothing));
            if results.iter().all(|other| apart(other, &found) > 0.0) {
                results.push(found);
            }
        }
        (mistake, results)
    });
    let wrong = wrong.collect();
    Case { name, arguments, expected, wrong }
}

impl Case {
    /// What comes out with this mistake: the right result if it makes no
    /// difference here.
    fn with(&self, mistake: &str) -> Vec<&Value> {
        let made = self.wrong.iter().find(|(name, _)| *name == mistake);
        made.map_or(vec![&self.expected], |(_, found)| found.iter().collect())
    }

    fn json(&self) -> Value {
        let changes = |found: &&(&str, Vec<Value>)| {
            found.1.iter().any(|value| apart(value, &self.expected) > 1e-9)
        };
        let wrong = self.wrong.iter().filter(changes);
        let wrong = wrong.map(|(mistake, found)| {
            let found = found.iter().map(short).collect();
            (String::from(*mistake), Value::Array(found))
        });
        json!({
            "name": self.name,
            "in": self.arguments,
            "out": self.expected,
            "wrong": Value::Object(wrong.collect()),
        })
    }
}

impl Part {
    /// Mistakes that cannot be seen in any case are left out.
    pub fn new(
        name: &'static str,
        chapter: &'static str,
        arguments: &'static str,
        cases: Vec<Case>,
    ) -> Self {
        let mut part = Self { name, chapter, arguments, cases };
        let all = part.mistakes().into_iter();
        let seen: Vec<&str> =
            all.filter(|mistake| part.tells(mistake, None)).collect();
        for case in &mut part.cases {
            case.wrong.retain(|(mistake, _)| seen.contains(mistake));
        }
        part
    }

    /// Whether a mistake can be told from another one, or from none. Of two
    /// results that are not a number, nothing can be told.
    pub fn tells(&self, mistake: &str, other: Option<&str>) -> bool {
        let gap = |case: &Case| {
            let others = other.map_or(vec![&case.expected], |b| case.with(b));
            let gaps = case.with(mistake).into_iter().flat_map(|found| {
                let others = others.iter().filter(|other| !is_nan(other));
                others.map(move |other| apart(found, other))
            });
            gaps.fold(f64::INFINITY, f64::min)
        };
        // Two wrong results should be further apart than what rounding does.
        let least = if other.is_some() { 10.0 } else { 1.0 } * TOLERANCE;
        self.cases.iter().any(|case| gap(case) > least)
    }

    /// All mistakes that can be told.
    pub fn mistakes(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> = Vec::new();
        for (mistake, _) in self.cases.iter().flat_map(|case| &case.wrong) {
            if !all.contains(mistake) {
                all.push(mistake);
            }
        }
        all
    }

    pub fn json(&self) -> Value {
        let cases: Vec<Value> = self.cases.iter().map(Case::json).collect();
        json!({
            "function": format!("{}({})", self.name, self.arguments),
            "chapter": format!("src/{}.md", self.chapter),
            "cases": cases,
        })
    }

    /// What goes in and what should come out, as tensors.
    pub fn tensors(&self, to: &mut BTreeMap<String, Tensor>) {
        for case in &self.cases {
            let name = format!("{}/{}", self.name, case.name);
            collect(&format!("{name}/in"), &case.arguments, to);
            collect(&format!("{name}/out"), &case.expected, to);
        }
    }
}

/// How far two results are apart, against the largest number of the second.
/// NaN is equal to NaN. Other forms and other words are infinitely far.
pub fn apart(a: &Value, b: &Value) -> f64 {
    gap(a, b) / largest(b).max(1e-3)
}

fn gap(a: &Value, b: &Value) -> f64 {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| gap(a, b)).fold(0.0, f64::max)
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let pairs = a.values().zip(b.values());
            pairs.map(|(a, b)| gap(a, b)).fold(0.0, f64::max)
        }
        _ if a == b => 0.0,
        _ => f64::INFINITY,
    }
}

/// Whether there is NaN in it, which JSON writes as null.
fn is_nan(value: &Value) -> bool {
    match value {
        Value::Array(all) => all.iter().any(is_nan),
        Value::Object(all) => all.values().any(is_nan),
        _ => value.is_null(),
    }
}

/// The same with eight digits of each number: enough to be recognized.
fn short(value: &Value) -> Value {
    match value {
        Value::Number(x) if x.is_f64() => {
            let digits = format!("{:.7e}", x.as_f64().unwrap());
            json!(digits.parse::<f64>().unwrap())
        }
        Value::Array(all) => all.iter().map(short).collect(),
        Value::Object(all) => {
            let pairs = all.iter().map(|(k, v)| (k.clone(), short(v)));
            Value::Object(pairs.collect())
        }
        _ => value.clone(),
    }
}

fn largest(value: &Value) -> f64 {
    match value {
        Value::Number(x) => x.as_f64().unwrap().abs(),
        Value::Array(all) => all.iter().map(largest).fold(0.0, f64::max),
        Value::Object(all) => all.values().map(largest).fold(0.0, f64::max),
        _ => 0.0,
    }
}

/// JSON with a row of numbers on each line.
pub fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text + "\n"
}

fn write(value: &Value, depth: usize, text: &mut String) {
    let nested = |v: &Value| v.is_array() || v.is_object();
    let lines: Vec<(String, &Value)> = match value {
        Value::Object(all) => {
            let key = |key: &String| format!("{}: ", json!(key));
            all.iter().map(|(k, v)| (key(k), v)).collect()
        }
        Value::Array(all) if all.iter().any(nested) => {
            all.iter().map(|v| (String::new(), v)).collect()
        }
        Value::Array(all) => {
            let all: Vec<String> = all.iter().map(Value::to_string).collect();
            return write!(text, "[{}]", all.join(", ")).unwrap();
        }
        _ => return write!(text, "{value}").unwrap(),
    };
    let [open, close] =
        if value.is_object() { ['{', '}'] } else { ['[', ']'] };
    text.push(open);
    for (i, (key, value)) in lines.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let indent = "  ".repeat(depth + 1);
        write!(text, "{comma}\n{indent}{key}").unwrap();
        write(value, depth + 1, text);
    }
    write!(text, "\n{}{close}", "  ".repeat(depth)).unwrap();
}

/// A tensor of numbers, whole numbers or truth values.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    kind: Dtype,
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

/// Every number of this value in a tensor, as large as possible.
fn collect(name: &str, value: &Value, to: &mut BTreeMap<String, Tensor>) {
    if let Some(tensor) = Tensor::of(value) {
        to.insert(name.to_owned(), tensor);
        return;
    }
    match value {
        Value::Object(all) => {
            for (key, value) in all {
                collect(&format!("{name}/{key}"), value, to);
            }
        }
        Value::Array(all) => {
            for (i, value) in all.iter().enumerate() {
                collect(&format!("{name}/{i}"), value, to);
            }
        }
        _ => {} // texts are in the JSON only
    }
}

impl Tensor {
    /// None if it is a text, has names in it, or rows of several lengths.
    fn of(value: &Value) -> Option<Self> {
        let one = |kind, number| {
            Some(Self { kind, shape: Vec::new(), numbers: vec![number] })
        };
        match value {
            Value::Number(x) if x.is_f64() => one(Dtype::F64, x.as_f64()?),
            Value::Number(x) => one(Dtype::I64, x.as_f64()?),
            Value::Bool(x) => one(Dtype::BOOL, f64::from(*x)),
            Value::Array(all) => {
                let parts: Option<Vec<Self>> =
                    all.iter().map(Self::of).collect();
                let parts = parts?;
                let Self { kind, shape, .. } = parts.first()?.clone();
                let alike = |t: &Self| t.kind == kind && t.shape == shape;
                let shape = [vec![parts.len()], shape.clone()].concat();
                parts.iter().all(alike).then(|| Self {
                    kind,
                    shape,
                    numbers: parts
                        .into_iter()
                        .flat_map(|t| t.numbers)
                        .collect(),
                })
            }
            _ => None,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter();
        match self.kind {
            Dtype::BOOL => numbers.map(|&x| x as u8).collect(),
            Dtype::I64 => {
                numbers.flat_map(|&x| (x as i64).to_le_bytes()).collect()
            }
            _ => numbers.flat_map(|x| x.to_le_bytes()).collect(),
        }
    }

    fn from_view(view: &TensorView) -> Self {
        let words = || view.data().as_chunks().0.iter();
        let numbers = match view.dtype() {
            Dtype::BOOL => {
                view.data().iter().map(|&x| f64::from(x)).collect()
            }
            Dtype::I64 => {
                words().map(|&b| i64::from_le_bytes(b) as f64).collect()
            }
            _ => words().map(|&b| f64::from_le_bytes(b)).collect(),
        };
        Self { kind: view.dtype(), shape: view.shape().to_vec(), numbers }
    }

    /// As [`apart`].
    pub fn apart(&self, other: &Self) -> f64 {
        if (self.kind, &self.shape) != (other.kind, &other.shape) {
            return f64::INFINITY;
        }
        apart(&json!(self.numbers), &json!(other.numbers))
    }
}

/// The bytes of a safetensors file.
pub fn serialize(tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let bytes: BTreeMap<&String, Vec<u8>> =
        tensors.iter().map(|(name, tensor)| (name, tensor.bytes())).collect();
    let views = tensors.iter().map(|(name, tensor)| {
        let shape = tensor.shape.clone();
        let view = TensorView::new(tensor.kind, shape, &bytes[name]);
        (name.clone(), view.unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

/// What [`serialize`] has written.
pub fn deserialize(bytes: &[u8]) -> BTreeMap<String, Tensor> {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let tensors = file.iter();
    tensors
        .map(|(name, view)| (name.to_owned(), Tensor::from_view(&view)))
        .collect()
}

/// Arguments by name.
pub fn arguments<const N: usize>(all: [(&str, Value); N]) -> Value {
    let all = all.into_iter().map(|(name, value)| (name.to_owned(), value));
    Value::Object(all.collect::<Map<_, _>>())
}
