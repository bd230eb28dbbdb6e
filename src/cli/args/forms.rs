//! The values of `--input-format`, listed in the help and in errors.

use crate::input::Form;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Accepts the name of a form, as text.
pub(super) fn form_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Form::ALL.map(Form::name))
}

/// Accepts the name of a form.
pub(super) fn form() -> impl TypedValueParser<Value = Form> {
    form_names().try_map(|name| name.parse::<Form>())
}
