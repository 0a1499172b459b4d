//! The codes of all complaints about Vdbench definitions, each with what it stands for.

codes! {
    UNREADABLE "V0101" "A parameter file cannot be read.";
    TOO_LARGE "V0102" "The definition is larger than what can be held.";
    NOT_TEXT "V0103" "A parameter file is not text.";
    INCLUDE "V0104" "An include cannot be followed.";
    EMPTY "V0105" "There is nothing to run.";
    WORD_UNUSED "V0110" "A word of the command line replaces nothing.";
    WORD_MISSING "V0111" "A substitution has no word on the command line.";
    TAB "V0120" "A tab ends the parameters; Vdbench knows only blanks.";
    BLANK_AFTER_COMMA "V0121" "A blank after a comma; Vdbench drops the rest of the line.";
    BLANK_IN_LIST "V0122" "A blank inside parentheses; Vdbench drops the rest of the line.";
    QUOTE "V0123" "A quotation mark is never closed.";
    PARENTHESES "V0124" "Parentheses do not match.";
    NO_KEYWORD "V0125" "A parameter is not keyword=value.";
    UNKNOWN_KEYWORD "V0130" "A keyword is unknown here.";
    OUT_OF_ORDER "V0131" "A definition comes after those that must follow it.";
    GONE "V0132" "A parameter that Vdbench no longer supports.";
    NUMBER "V0140" "A value is not a number.";
    RANGE "V0141" "A range of values cannot be expanded.";
    VALUE "V0142" "A value is not one of those that the parameter takes.";
    NO_VALUE "V0143" "A parameter has no value.";
    OUT_OF_RANGE "V0144" "A number is outside of what the parameter takes.";
    DUPLICATE "V0150" "A name is defined twice.";
    UNKNOWN_NAME "V0151" "A name is defined nowhere.";
    REQUIRED "V0152" "A required parameter is missing.";
    DEFAULT "V0153" "A parameter that may not be in a default.";
    CONFLICT "V0154" "Two parameters exclude each other.";
    NAME "V0155" "A name cannot be used.";
    SKEW "V0160" "Skews do not add up to 100.";
    TIMES "V0161" "elapsed, interval and warmup do not fit together.";
    RATE "V0162" "The requested rate is missing, or of the wrong kind.";
    PRIORITY "V0163" "Priorities are missing, alike, or in the wrong order.";
    FORMAT "V0164" "A format cannot be done as asked.";
    REPLAY "V0165" "A replay cannot be done as asked.";
    LENIENT "V0170" "A value that Vdbench takes otherwise than it reads.";
    CANNOT_RUN "V0180" "A part of Vdbench that this version parses but cannot run.";
    NO_EFFECT "V0181" "A parameter that has no effect here.";
    DEVICE_CACHED "V0182" "A device under /dev without o_direct.";
    TARGET "V0183" "A lun that is no target.";
    SIZE_UNKNOWN "V0184" "A size that must be known is not given.";
    INVALID "V0185" "A run that makes no sense on its targets.";
}
