/** Text that is HTML already. Only `html` and `trusted` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: text is escaped, HTML is not, lists are joined, `undefined` and `false` show nothing. */
export type HtmlPart = string | number | Html | undefined | false | readonly HtmlPart[];

/** HTML from a template; everything put into it is escaped unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.reduce((text, each, at) => text + shown(parts[at - 1]) + each));
}

/** Says that a text is HTML. For what a renderer made that escapes by itself. */
export function trusted(text: string): Html {
  return new Html(text);
}

function shown(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(shown).join('');
  return escapeHtml(String(part));
}

/** Text for between tags and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
