import { toYaml } from '@slipway/safe-yaml';
import { printableJson } from '@slipway/safe-yaml/printable';

/** What a program or a file takes: it is printed as it is, with commands as they are written and not as they are typed here. */
export class Content {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A document as JSON, over several lines or on one. What a terminal would act on is escaped. */
export function jsonContent(document: unknown, indent: 0 | 2 = 2): Content {
  return new Content(`${printableJson(JSON.stringify(document, null, indent))}\n`);
}

/** A document as YAML, with the same escapes. */
export function yamlContent(document: unknown): Content {
  return new Content(toYaml(document));
}
