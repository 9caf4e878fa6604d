import {
  dns1035Problems,
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import { stringFormats } from '@slipway/api-machinery/schema/formats';
import { parseUrl } from './urls.js';

type Problems = (text: string) => readonly string[];

/** A prefix may end where a name may not. */
const prefixOf =
  (problems: Problems): Problems =>
  (text) =>
    problems(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);

const ofSchema =
  (format: string, problem: string): Problems =>
  (text) =>
    stringFormats.get(format)?.(text) ? [] : [problem];

const uriProblems: Problems = (text) => {
  const read = parseUrl(text);
  return typeof read === 'string' ? [read] : [];
};

/** The formats of `format.named()`: what is wrong with a text of each. */
export const namedFormats: ReadonlyMap<string, Problems> = new Map<string, Problems>([
  ['dns1123Label', labelProblems],
  ['dns1123Subdomain', subdomainProblems],
  ['dns1035Label', dns1035Problems],
  ['qualifiedName', qualifiedNameProblems],
  ['dns1123LabelPrefix', prefixOf(labelProblems)],
  ['dns1123SubdomainPrefix', prefixOf(subdomainProblems)],
  ['dns1035LabelPrefix', prefixOf(dns1035Problems)],
  ['labelValue', labelValueProblems],
  ['uri', uriProblems],
  ['uuid', ofSchema('uuid', 'does not match the UUID format')],
  ['byte', ofSchema('byte', 'invalid base64')],
  ['date', ofSchema('date', 'invalid date')],
  ['datetime', ofSchema('date-time', 'invalid datetime')],
]);
