//! The codes of all complaints about fio job files, each with what it stands for.

codes! {
    UNREADABLE "F0101" "A job file cannot be read.";
    TOO_LARGE "F0102" "A job file is larger than what can be held.";
    NOT_TEXT "F0103" "A job file is not text.";
    INCLUDE "F0104" "An include cannot be followed.";
    EMPTY "F0105" "There is no job to run.";
    OUTSIDE "F0110" "An option stands before the first section.";
    HEADER "F0111" "A section has no name, or its name has no end.";
    VARIABLE "F0112" "An environment variable is not set.";
    GLOBAL "F0113" "A section looks global and is a job.";
    UNKNOWN_OPTION "F0120" "An option is unknown.";
    COMMAND_LINE "F0121" "An option belongs on fio's command line.";
    NO_VALUE "F0130" "An option has no value.";
    VALUE "F0131" "A value cannot be read.";
    OUT_OF_RANGE "F0132" "A number is outside of what the option takes.";
    UNIT "F0140" "A unit that fio reads otherwise than it looks.";
    FRACTION "F0141" "A fraction, which fio drops together with its unit.";
    FILENAMES "F0142" "File names of several sections add up.";
    SYNC_DEPTH "F0143" "A synchronous engine, or libaio on the page cache, has one I/O in flight.";
    WITHOUT_EFFECT "F0144" "An option that has no effect in its job.";
    ENDS_BEFORE "F0145" "A job that may end long before its time.";
    MERGED "F0146" "Jobs that fio reports as one, by the name of the first.";
    CANNOT_RUN "F0180" "An option that is known but cannot be carried out.";
    ENGINE "F0181" "An engine that does not exist here.";
    NO_EFFECT "F0182" "Options that change nothing here.";
    DIFFERS "F0183" "A part that is carried out otherwise than by fio.";
    SIZE_UNKNOWN "F0184" "A size that must be known is not given.";
    CONFLICT "F0185" "Jobs of one run that do not go together.";
    INVALID "F0186" "A run that makes no sense on its targets.";
}
