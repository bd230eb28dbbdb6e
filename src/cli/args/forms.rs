//! Values of `--input-format`, as listed in help and errors.

use crate::input::Form;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Returns a parser for names of forms that yields the name.
pub(super) fn form_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Form::ALL.map(Form::name))
}

/// Returns a parser for names of forms that yields the form.
pub(super) fn form() -> impl TypedValueParser<Value = Form> {
    form_names().try_map(|name| name.parse::<Form>())
}
