//! Mapped files, the splitter of records, one parser a form.
