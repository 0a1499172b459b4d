//! Parameters gathered into definitions: which belongs to which, with the defaults put in.

use super::codes;
use super::keyword::{self, Effect, Keyword};
use super::parameter::{Parameter, Value};
use super::report::{Report, Stop};
use super::section::{self, Section};
use plimsoll_diagnostic::{Diagnostic, FileId, Span, nearest};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// One definition with its parameters, those of the default first.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    /// What follows `sd=` and the like.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The parameters, in order.
    pub fields: Vec<Field>,
    /// How many of them come from the default.
    pub inherited: usize,
}

/// One parameter of a definition.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Which.
    pub keyword: &'static Keyword,
    /// Its value.
    pub value: Rc<Value>,
    /// Where it is.
    pub span: Span,
}

/// All definitions of one kind, and the last default.
#[derive(Debug, Default)]
pub(crate) struct ObjectsOfKind {
    /// In order.
    pub objects: Vec<Object>,
    /// The last `xx=default`.
    pub default: Option<Object>,
}

/// All definitions.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// General parameters.
    pub general: Vec<Field>,
    /// All parameters in their order, the openers of definitions among them.
    pub written: Vec<(Section, Field)>,
    kinds: HashMap<Section, ObjectsOfKind>,
}

impl ObjectsOfKind {
    /// The last default; where there is none, what it would be: a definition without any parameter.
    pub fn default_or_empty(&self) -> Object {
        self.default.clone().unwrap_or(Object {
            name: "default".to_string(),
            span: Span {
                file: FileId(0),
                start: 0,
                end: 0,
            },
            fields: Vec::new(),
            inherited: 0,
        })
    }
}

impl Objects {
    /// The definitions of one kind.
    pub fn of(&mut self, section: Section) -> ObjectsOfKind {
        self.kinds.remove(&section).unwrap_or_default()
    }
}

/// Gathers `parameters` into definitions.
pub(crate) fn gather(parameters: Vec<Parameter>, report: &mut Report) -> Result<Objects, Stop> {
    let mut gathering = Gathering {
        section: Section::General,
        current: None,
        line_opener: None,
        names: HashSet::new(),
        objects: Objects::default(),
    };
    for parameter in parameters {
        gathering.add(parameter, report)?;
        report.bounded()?;
    }
    gathering.close(report)?;
    Ok(gathering.objects)
}

struct Gathering {
    section: Section,
    current: Option<Object>,
    /// A keyword that begins its line and would begin a definition, had it not come too late.
    line_opener: Option<Parameter>,
    names: HashSet<(Section, String)>,
    objects: Objects,
}

impl Gathering {
    fn add(&mut self, parameter: Parameter, report: &mut Report) -> Result<(), Stop> {
        let opens = Section::opened_by(&parameter.keyword);
        if parameter.first_on_line {
            self.line_opener = opens.is_some().then(|| parameter.clone());
        }
        // `rd` is never short for `rdpct`, nor `sd` for anything.
        let own = keyword::resolve(self.section.keywords(), &parameter.keyword)
            .filter(|k| opens.is_none() || k.name == parameter.keyword);
        match opens {
            Some(section) if section == self.section => {
                return self.open(section, parameter, report);
            }
            Some(section) if own.is_none() && section.rank() >= self.section.rank() => {
                return self.open(section, parameter, report);
            }
            Some(section) if own.is_none() => {
                report.add(
                    Diagnostic::error(
                        codes::OUT_OF_ORDER,
                        format!(
                            "`{}=` comes after {}",
                            parameter.keyword,
                            self.section.title()
                        ),
                    )
                    .at(parameter.keyword_span, "too late")
                    .note(ORDER)
                    .help(format!("move it in front of {}", title_before(section))),
                );
                return Ok(());
            }
            _ => {}
        }
        let Some(keyword) = own else {
            report.add(self.unknown(&parameter));
            return Ok(());
        };
        if keyword.effect == Effect::Gone {
            report.add(
                Diagnostic::error(
                    codes::GONE,
                    format!("`{}=` is not supported here by Vdbench", keyword.name),
                )
                .at(
                    parameter.span(),
                    "Vdbench 5.04.07 refuses a file that has it",
                )
                .help("delete it"),
            );
            return Ok(());
        }
        if parameter.value.items.iter().all(|i| i.text.is_empty()) {
            report.add(
                Diagnostic::error(codes::NO_VALUE, format!("`{}=` has no value", keyword.name))
                    .at(parameter.span(), "expected a value after `=`"),
            );
            return Ok(());
        }
        let span = parameter.span();
        let field = Field {
            keyword,
            value: Rc::new(parameter.value),
            span,
        };
        self.objects.written.push((self.section, field.clone()));
        match &mut self.current {
            Some(object) => object.fields.push(field),
            None => self.objects.general.push(field),
        }
        Ok(())
    }

    fn open(
        &mut self,
        section: Section,
        parameter: Parameter,
        report: &mut Report,
    ) -> Result<(), Stop> {
        self.close(report)?;
        self.section = section;
        let name = parameter.value.text().to_string();
        let span = parameter.value.span;
        check_name(&name, &parameter, report);
        let opener = Field {
            keyword: &section.keywords()[0],
            span: parameter.span(),
            value: Rc::new(parameter.value.clone()),
        };
        self.objects.written.push((section, opener));
        let fields = match self
            .objects
            .kinds
            .get(&section)
            .and_then(|k| k.default.as_ref())
        {
            Some(default) => {
                let size: usize = default.fields.iter().map(|f| f.value.items.len()).sum();
                report.charge(size as u64, span)?;
                default.fields.clone()
            }
            None => Vec::new(),
        };
        if name != "default" && !self.names.insert((section, name.clone())) {
            report.add(
                Diagnostic::error(
                    codes::DUPLICATE,
                    format!("`{}={name}` is defined twice", parameter.keyword),
                )
                .at(parameter.span(), "the second definition")
                .help("give it another name"),
            );
        }
        self.current = Some(Object {
            name,
            span,
            inherited: fields.len(),
            fields,
        });
        Ok(())
    }

    /// Ends the current definition.
    fn close(&mut self, report: &mut Report) -> Result<(), Stop> {
        let Some(object) = self.current.take() else {
            return Ok(());
        };
        report.charge(OBJECT, object.span)?;
        let kind = self.objects.kinds.entry(self.section).or_default();
        if object.name != "default" {
            kind.objects.push(object);
            return Ok(());
        }
        check_default(self.section, &object, report);
        let mut default = object;
        // Only the last value of a keyword counts, so that many defaults don't add up.
        let mut seen = HashSet::new();
        default.fields.reverse();
        default.fields.retain(|f| seen.insert(f.keyword.name));
        default.fields.reverse();
        kind.default = Some(default);
        Ok(())
    }

    fn unknown(&self, parameter: &Parameter) -> Diagnostic {
        let typed = &parameter.keyword;
        if let Some(late) = self.too_late(typed) {
            return late;
        }
        let shown: String = typed.chars().take(40).collect();
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_KEYWORD, format!("unknown keyword `{shown}`")).at(
                parameter.keyword_span,
                format!("not a parameter of {}", self.section.title()),
            );
        if self.section == Section::FileSystem && matches!(typed.as_str(), "host" | "hd") {
            return diagnostic
                .note("a file system is used from one host at a time, which its workload (fwd=) names")
                .help("move host= to the fwd that uses this fsd");
        }
        let elsewhere: Vec<Section> = Section::ALL
            .into_iter()
            .filter(|s| {
                keyword::resolve(s.keywords(), typed)
                    .is_some_and(|k| k.name == typed || typed.len() > 3)
            })
            .collect();
        if !elsewhere.is_empty() {
            let titles: Vec<&str> = elsewhere.iter().map(|s| s.title()).collect();
            diagnostic =
                diagnostic.note(format!("`{shown}` belongs to {}", titles.join(", or to ")));
            return match elsewhere.contains(&Section::General) {
                true => diagnostic.help(format!(
                    "write {shown}= on a line of its own, before all definitions"
                )),
                false => diagnostic.help(format!(
                    "parameters attach to the last definition: move {shown}= to where it belongs"
                )),
            };
        }
        let names = self.section.keywords().iter().map(|k| k.name);
        if let Some(meant) = nearest(typed, names) {
            diagnostic = diagnostic
                .help(format!("did you mean `{meant}`?"))
                .patch(parameter.keyword_span, meant);
        }
        diagnostic
    }

    /// A definition that came too late is read as a parameter of the current one; the keyword after it is then
    /// unknown. The line as a whole says what was meant.
    fn too_late(&self, typed: &str) -> Option<Diagnostic> {
        let opener = self.line_opener.as_ref()?;
        let section = Section::opened_by(&opener.keyword)?;
        if section.rank() >= self.section.rank()
            || keyword::resolve(section.keywords(), typed).is_none()
        {
            return None;
        }
        Some(
            Diagnostic::error(
                codes::OUT_OF_ORDER,
                format!(
                    "`{}={}` comes too late",
                    opener.keyword,
                    opener.value.text()
                ),
            )
            .at(
                opener.span(),
                format!("read as a parameter of {}", self.section.title()),
            )
            .note(ORDER)
            .help(format!(
                "move the line in front of {}",
                title_before(section)
            )),
        )
    }
}

/// What a definition costs of the budget: so many that 100,000 are allowed.
pub(crate) const OBJECT: u64 = 40;

const ORDER: &str = "the order is: general parameters, hd, rg, sd or fsd, wd or fwd, rd";

/// What a definition of `section` must come before, in words.
fn title_before(section: Section) -> &'static str {
    match section.rank() {
        0 => "the first definition",
        1 => "the first rg, sd or fsd",
        2 => "the first sd or fsd",
        3 => "the first wd or fwd",
        _ => "the first rd",
    }
}

fn check_name(name: &str, parameter: &Parameter, report: &mut Report) {
    let span = parameter.value.span;
    if name.is_empty() {
        report.add(
            Diagnostic::error(codes::NAME, format!("`{}=` has no name", parameter.keyword))
                .at(parameter.span(), "expected a name after `=`"),
        );
    } else if let Some(at) = name.find('=') {
        let mut diagnostic =
            Diagnostic::error(codes::NAME, format!("the name `{name}` has an `=` in it"))
                .at(span, "Vdbench takes all of this for the name");
        let (first, rest) = (&name[..at], &name[at + 1..]);
        let word_end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let (word, value) = rest.split_at(word_end);
        if section::known(word) && !value.is_empty() {
            let meant = format!("{first},{word}={value}");
            diagnostic = diagnostic
                .help(format!("write {}={meant}", parameter.keyword))
                .patch(span, meant);
        }
        report.add(diagnostic);
    }
}

fn check_default(section: Section, object: &Object, report: &mut Report) {
    let forbidden = match section {
        Section::Storage => "lun",
        Section::Run => "format",
        _ => return,
    };
    for field in object.fields.iter().filter(|f| f.keyword.name == forbidden) {
        let mut diagnostic = Diagnostic::error(
            codes::DEFAULT,
            format!(
                "`{forbidden}=` may not be in {}=default",
                section.opener().unwrap_or_default()
            ),
        )
        .at(field.span, "in a default");
        if forbidden == "lun" {
            diagnostic = diagnostic
                .note("every sd would be the same file or device")
                .help("write lun= into each sd");
        }
        report.add(diagnostic);
    }
}
