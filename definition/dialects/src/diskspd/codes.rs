//! The codes of all complaints about DiskSPD's definitions, each with what it stands for.

codes! {
    UNREADABLE "D0101" "A profile cannot be read.";
    NOT_XML "D0102" "A profile is not XML.";
    NOT_A_PROFILE "D0103" "An XML file is no profile.";
    TOO_LARGE "D0104" "The definition is larger than what can be held.";
    UNKNOWN_FLAG "D0110" "A flag is unknown here.";
    VALUE "D0111" "A value is not one of those that a flag or an element takes.";
    TRAILING "D0112" "Characters after a number, which DiskSPD ignores.";
    ORDER "D0113" "A flag stands after the targets.";
    TWICE "D0114" "Something is said twice.";
    WITH_PROFILE "D0115" "A flag that cannot stand beside a profile.";
    NO_TARGET "D0116" "No target is named.";
    UNKNOWN_ELEMENT "D0120" "An element that DiskSPD 2.2 does not have.";
    MISSING "D0121" "A required element is missing.";
    LENIENT "D0122" "A value that DiskSPD reads otherwise than its schema has it.";
    TEMPLATE "D0130" "A template target is wrong, or has no path to take its place.";
    CONFLICT "D0140" "Two settings exclude each other.";
    DISTRIBUTION "D0141" "A distribution cannot be.";
    RANGE "D0142" "The part of a target that is used is empty.";
    WORTH_KNOWING "D0143" "Something that DiskSPD warns of.";
    CANNOT_RUN "D0150" "A part of DiskSPD that this version reads but cannot run.";
    NO_EFFECT "D0151" "A setting that has no effect here.";
    DIFFERS "D0152" "A setting that is carried out otherwise than DiskSPD does.";
    TARGET "D0153" "A path that is no target on Linux.";
    INVALID "D0154" "A run that makes no sense on its targets.";
}
