import { type LabelRequirement, type Labels, labelRequirement, matchesLabels } from './label-requirement.js';
import { SelectorError } from './selector-error.js';

/** `LabelSelector` of meta/v1, as specs carry it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/**
 * The requirements of a selector in a spec.
 * @throws SelectorError when an operator is unknown or has the wrong number of values.
 */
export function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement(key, 'Equals', [value]),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)) {
      throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      throw new SelectorError(
        `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
      );
    }
    return labelRequirement(key, operator, [...values].sort());
  });
  return [...equal, ...expressions].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Whether a selector of a spec selects labels. An absent selector selects nothing, an empty one everything. */
export function matchesSelector(selector: LabelSelector | undefined | null, labels: Labels): boolean {
  return selector ? matchesLabels(requirementsOf(selector), labels) : false;
}

/** The text form, which `parseLabelSelector` reads: `a=b,c in (x,y),!d`. An empty selector is ''. */
export function labelSelectorToString(selector: LabelSelector | readonly LabelRequirement[]): string {
  const requirements = isRequirements(selector) ? selector : requirementsOf(selector);
  return requirements.map(requirementToString).join(',');
}

function isRequirements(
  selector: LabelSelector | readonly LabelRequirement[],
): selector is readonly LabelRequirement[] {
  return Array.isArray(selector);
}

function requirementToString({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'Equals':
      return `${key}=${values[0] ?? ''}`;
    case 'NotEquals':
      return `${key}!=${values[0] ?? ''}`;
    case 'In':
      return `${key} in (${[...values].sort().join(',')})`;
    case 'NotIn':
      return `${key} notin (${[...values].sort().join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'GreaterThan':
      return `${key}>${values[0] ?? ''}`;
    case 'LessThan':
      return `${key}<${values[0] ?? ''}`;
  }
}
