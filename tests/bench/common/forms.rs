//! What the bench of the filler calls a form of sentence, in its logs.

use all_you_need::gaps::Form;

pub fn name(form: Form) -> &'static str {
    match form {
        Form::Plain => "plain",
        Form::PhraseBefore => "phrase before",
        Form::Phrase => "phrase",
        Form::TwoPhrases => "two phrases",
        Form::Clause => "clause",
        Form::ThreePhrases => "three phrases",
        Form::PhraseInClause => "phrase in clause",
    }
}
