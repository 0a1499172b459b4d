"""Tables that read well in a terminal and as Markdown."""


def table(header, rows):
    """Columns of equal width between bars. All but the first are set to the right."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [line(header, widths), "|" + "|".join(rule(i, w) for i, w in enumerate(widths)) + "|"]
    return "\n".join(lines + [line(row, widths) for row in rows])


def line(row, widths):
    """One row."""
    cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
    return "| " + " | ".join(cells) + " |"


def rule(index, width):
    """The line below the header, which says how a column is set."""
    return ":" + "-" * (width + 1) if index == 0 else "-" * (width + 1) + ":"


def rate(value):
    """I/Os per second."""
    return f"{value:,.0f}"


def ns(value):
    """Nanoseconds: whole ones from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
