//! Whether the titles and descriptions of the figures get their numbers from the values that are drawn.

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprCall, ExprLit, ExprPath, FnArg, Ident, ImplItemFn,
    ItemConst, ItemFn, Lit, LitStr, Local, Macro, Pat, PatIdent, Signature,
    Token,
};

/// What makes a figure of a title, a description and more.
const FIGURES: [&str; 5] = ["Bars", "Chart", "Diagram", "HeatMaps", "Looks"];

/// What stands before a number of the paper, which nothing computes.
const CITED: [&str; 2] = ["equation", "table"];

/// The numbers from ten on. Those below say what there is to see: two curves, three maps.
const NUMBERS: &str = "ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy \
    eighty ninety hundred thousand million billion trillion tenth hundredth \
    thousandth millionth";

/// Numbers that are typed in the title or the description of a figure.
///
/// # Errors
/// If an example cannot be read.
pub fn check(project: &Project) -> Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let drawing = [
        project.files("code/examples", "rs"),
        project.files("figures", "rs"),
    ];
    for path in drawing.concat() {
        let file = syn::parse_file(&project.read(&path)?)?;
        let mut example = Example::default();
        example.visit_file(&file);
        for (function, call) in &example.calls {
            if is_figure(call) {
                diagnostics.extend(example.check(&path, *function, call));
            }
        }
    }
    diagnostics.sort();
    diagnostics.dedup();
    Ok(diagnostics)
}

/// Whether this is `Chart::new(title, description, …)` or the like.
fn is_figure(call: &ExprCall) -> bool {
    let Expr::Path(ExprPath { path, .. }) = &*call.func else { return false };
    let mut words = path.segments.iter().rev().map(|part| &part.ident);
    words.next().is_some_and(|word| word == "new")
        && words.next().is_some_and(|word| FIGURES.iter().any(|f| word == f))
}

/// What an example is made of. A function is known by its place in the list.
#[derive(Default)]
struct Example<'a> {
    functions: Vec<(&'a Signature, &'a Block)>,
    constants: Vec<&'a ItemConst>,
    /// What is named with `let`, and in which function.
    locals: Vec<(usize, &'a Local)>,
    calls: Vec<(usize, &'a ExprCall)>,
    current: usize,
}

impl<'a> Example<'a> {
    fn check(
        &self,
        path: &Path,
        function: usize,
        figure: &'a ExprCall,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for argument in figure.args.iter().take(2) {
            let mut texts = Texts::new(self, function);
            texts.visit_expr(argument);
            diagnostics.extend(texts.found.iter().filter_map(
                |(line, text)| {
                    let number = typed_number(text)?;
                    let message =
                        format!("`{number}` is typed, not computed");
                    Some(Diagnostic::new(path, *line, message))
                },
            ));
        }
        diagnostics
    }

    /// What a name means in a function, and in which function to read that on.
    fn meaning(
        &self,
        function: usize,
        name: &Ident,
    ) -> Vec<(usize, &'a Expr)> {
        let here = self.locals.iter().filter(|local| local.0 == function);
        let named = here.filter(|local| binds(&local.1.pat, name));
        let values = named.filter_map(|(_, local)| local.init.as_ref());
        let mut meaning: Vec<_> =
            values.map(|init| (function, &*init.expr)).collect();
        meaning.extend(self.arguments(function, name));
        let constants =
            self.constants.iter().filter(|item| item.ident == *name);
        meaning.extend(constants.map(|item| (function, &*item.expr)));
        meaning
    }

    /// What the callers of a function give it under this name.
    fn arguments(
        &self,
        function: usize,
        name: &Ident,
    ) -> Vec<(usize, &'a Expr)> {
        let Some((signature, _)) = self.functions.get(function) else {
            return Vec::new();
        };
        let mut parameters = signature.inputs.iter();
        let place = parameters.position(|parameter| match parameter {
            FnArg::Typed(parameter) => binds(&parameter.pat, name),
            FnArg::Receiver(_) => false,
        });
        let Some(place) = place else { return Vec::new() };
        let calls =
            self.calls.iter().filter(|call| names(call.1, &signature.ident));
        calls
            .filter_map(|(caller, call)| {
                Some((*caller, call.args.get(place)?))
            })
            .collect()
    }

    fn enter(&mut self, signature: &'a Signature, block: &'a Block) {
        let outer = self.current;
        self.current = self.functions.len();
        self.functions.push((signature, block));
        visit::visit_block(self, block);
        self.current = outer;
    }
}

impl<'a> Visit<'a> for Example<'a> {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.enter(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.enter(&item.sig, &item.block);
    }

    fn visit_item_const(&mut self, item: &'a ItemConst) {
        self.constants.push(item);
    }

    fn visit_local(&mut self, local: &'a Local) {
        self.locals.push((self.current, local));
        visit::visit_local(self, local);
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        self.calls.push((self.current, call));
        visit::visit_expr_call(self, call);
    }
}

/// Whether a call is one of the function with this name.
fn names(call: &ExprCall, function: &Ident) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.is_ident(function))
}

/// Whether a pattern gives something this name.
fn binds(pattern: &Pat, name: &Ident) -> bool {
    struct Names<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.1 |= pattern.ident == *self.0;
        }
    }
    let mut names = Names(name, false);
    names.visit_pat(pattern);
    names.1
}

/// Looks for the texts that an expression is made of, without the values between them.
struct Texts<'a, 'b> {
    example: &'b Example<'a>,
    function: usize,
    /// The names that were followed.
    known: BTreeSet<(usize, String)>,
    /// Each text with its line.
    found: Vec<(usize, String)>,
}

impl<'a, 'b> Texts<'a, 'b> {
    fn new(example: &'b Example<'a>, function: usize) -> Self {
        let (known, found) = (BTreeSet::new(), Vec::new());
        Texts { example, function, known, found }
    }

    fn add(&mut self, literal: &LitStr, text: String) {
        self.found.push((literal.span().start().line, text));
    }
}

impl<'a> Visit<'a> for Texts<'a, '_> {
    fn visit_lit_str(&mut self, literal: &'a LitStr) {
        self.add(literal, literal.value());
    }

    /// The first argument of `format!` and its kin.
    fn visit_macro(&mut self, call: &'a Macro) {
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(arguments) = call.parse_body_with(list) else { return };
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(literal), .. })) =
            arguments.first()
        {
            self.add(literal, without_values(&literal.value()));
        }
    }

    /// A name stands for what it means.
    fn visit_expr_path(&mut self, path: &'a ExprPath) {
        let Some(name) = path.path.get_ident() else { return };
        let here = self.function;
        if self.known.insert((here, name.to_string())) {
            for (function, meaning) in self.example.meaning(here, name) {
                self.function = function;
                self.visit_expr(meaning);
            }
            self.function = here;
        }
    }

    /// A function of the example stands for all that it says.
    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let mut functions = self.example.functions.iter();
        match functions.find(|function| names(call, &function.0.ident)) {
            Some((_, block)) => Words(self).visit_block(block),
            None => visit::visit_expr_call(self, call),
        }
    }
}

/// Looks for the texts of a function, but follows no names.
struct Words<'a, 'b, 'c>(&'c mut Texts<'a, 'b>);

impl<'a> Visit<'a> for Words<'a, '_, '_> {
    fn visit_lit_str(&mut self, literal: &'a LitStr) {
        self.0.visit_lit_str(literal);
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        self.0.visit_macro(call);
    }
}

/// A format string without what stands between its braces.
fn without_values(format: &str) -> String {
    let format = format.replace("{{", "").replace("}}", "");
    let mut parts = format.split('{');
    let first = parts.next().unwrap_or_default().to_string();
    let after = |part: &str| {
        part.split_once('}').map_or("", |(_, rest)| rest).to_string()
    };
    first + &parts.map(after).collect::<String>()
}

/// The first word of a text that is a number, and none of the paper's.
fn typed_number(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let before = [""].iter().chain(&words);
    let mut pairs = before.zip(&words).filter(|(before, _)| {
        !CITED.contains(&before.to_lowercase().as_str())
    });
    pairs.find(|(_, word)| is_number(word)).map(|(_, word)| *word)
}

/// Whether a word has digits, but for those of a name such as `s_1`, or is a number's name.
fn is_number(word: &str) -> bool {
    let before = [' '].into_iter().chain(word.chars());
    let mut starts = before.zip(word.chars());
    let digits = starts.any(|(before, c)| {
        c.is_ascii_digit() && before != '_' && !before.is_ascii_digit()
    });
    let lower = word.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    digits
        || words.any(|word| {
            let single = word.trim_end_matches('s');
            NUMBERS.split_whitespace().any(|number| number == single)
        })
}
