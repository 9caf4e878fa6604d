import { SelectorError } from './selector-error.js';

/** One demand on labels. `Equals` and `In` differ only in how they are printed, as do their opposites. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** One for Equals, NotEquals, GreaterThan and LessThan; any number for In and NotIn; none for the others. */
  readonly values: readonly string[];
}

export type LabelOperator =
  | 'Equals'
  | 'NotEquals'
  | 'In'
  | 'NotIn'
  | 'Exists'
  | 'DoesNotExist'
  | 'GreaterThan'
  | 'LessThan';

/** Labels of an object; absent counts as none. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels meet every requirement; no requirement is met by everything. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => meets(requirement, labels));
}

function meets({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Equals':
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotEquals':
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'GreaterThan':
    case 'LessThan': {
      if (value === undefined || !isInteger(value)) return false;
      const bound = BigInt(values[0] ?? '0');
      return operator === 'GreaterThan' ? BigInt(value) > bound : BigInt(value) < bound;
    }
  }
}

/** A requirement that is known to be sound. @throws SelectorError when key or values are not what labels can be. */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const wrongKey = whyNotLabelKey(key);
  // API servers do print <nil> where other messages name a field.
  if (wrongKey) throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrongKey}`);
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    throw new SelectorError(`values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`);
  }
  if ((operator === 'GreaterThan' || operator === 'LessThan') && !values.every(isInteger)) {
    throw new SelectorError(
      `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  for (const [index, value] of values.entries()) {
    const wrongValue = whyNotLabelValue(value);
    if (wrongValue) {
      throw new SelectorError(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${wrongValue}`);
    }
  }
  return { key, operator, values };
}

/** Explains why a string is not a label key (`prefix/name` or `name`); undefined when it is. */
export function whyNotLabelKey(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) {
    return `a valid label key ${labelRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') return 'prefix part must be non-empty';
  if (prefix !== undefined && prefix.length > 253) return 'prefix part must be no more than 253 bytes';
  if (prefix !== undefined && !dnsSubdomain.test(prefix)) return `prefix part ${subdomainRule}`;
  if (name === '') return 'name part must be non-empty';
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return labelText.test(name) ? undefined : `name part ${labelRule}`;
}

/** Explains why a string is not a label value; undefined when it is. */
export function whyNotLabelValue(value: string): string | undefined {
  if (value === '' || (value.length <= 63 && labelText.test(value))) return undefined;
  return value.length > 63 ? 'must be no more than 63 bytes' : valueRule;
}

const labelText = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const labelCharacters =
  "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelRule = `must consist of ${labelCharacters} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const valueRule = `a valid label must be an empty string or consist of ${labelCharacters} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text);
}
