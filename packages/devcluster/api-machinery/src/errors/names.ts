/**
 * The shapes of names, keys and values that the API demands. Each function tells
 * what is wrong in the words that Kubernetes uses; an empty list = nothing.
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPattern = new RegExp(`^${qualified}$`);
/** Nearly all keys and values are right: one look is enough. */
const plain = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const prefixed =
  /^(?=[^/]{1,253}\/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const dns1035Pattern = new RegExp(`^${dns1035}$`);

/** Most objects: `example.com`, at most 253 characters. */
export function subdomainProblems(name: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > 253) problems.push('must be no more than 253 characters');
  if (!subdomainPattern.test(name)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'example.com', " +
        `regex used for validation is '${subdomain}')`,
    );
  }
  return problems;
}

/** `*.example.com`: all names one level below. */
export function wildcardProblems(name: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > 253) problems.push('must be no more than 253 characters');
  if (!name.startsWith('*.') || !subdomainPattern.test(name.slice(2))) {
    problems.push(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist " +
        "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. " +
        `'*.example.com', regex used for validation is '\\*\\.${subdomain}')`,
    );
  }
  return problems;
}

/** Namespaces: `my-name`, at most 63 characters. */
export function labelProblems(name: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > 63) problems.push('must be no more than 63 characters');
  if (labelPattern.test(name)) return problems;
  if (subdomainPattern.test(name)) problems.push('must not contain dots');
  else {
    problems.push(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
        `regex used for validation is '${label}')`,
    );
  }
  return problems;
}

/** Services: as a label, and beginning with a letter. */
export function dns1035Problems(name: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > 63) problems.push('must be no more than 63 characters');
  if (!dns1035Pattern.test(name)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
        `regex used for validation is '${dns1035}')`,
    );
  }
  return problems;
}

/** Returns why a name cannot be a path segment. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  const problems: string[] = [];
  for (const character of ['/', '%']) if (name.includes(character)) problems.push(`may not contain '${character}'`);
  return problems;
}

/** Keys of labels and annotations, names of finalizers: `example.com/name` or `name`. */
export function qualifiedNameProblems(key: string): string[] {
  if (plain.test(key) || prefixed.test(key)) return [];
  const parts = key.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === '') problems.push('prefix part must be non-empty');
    else problems.push(...subdomainProblems(first).map((problem) => `prefix part ${problem}`));
  }
  const name = second ?? first;
  if (name === '') problems.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > 63) problems.push('name part must be no more than 63 bytes');
  if (!qualifiedPattern.test(name)) problems.push(`name part ${qualifiedText}`);
  return problems;
}

const qualifiedText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`;

/** Values of labels. */
export function labelValueProblems(value: string): string[] {
  if (value === '' || plain.test(value)) return [];
  const problems: string[] = [];
  if (Buffer.byteLength(value) > 63) problems.push('must be no more than 63 bytes');
  if (!qualifiedPattern.test(value)) {
    problems.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
        `regex used for validation is '(${qualified})?')`,
    );
  }
  return problems;
}
