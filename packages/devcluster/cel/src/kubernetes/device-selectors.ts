import { Budget, OutOfBudgetError } from '../budget.js';
import { type Compiled, compileExpression } from '../compile-expression.js';
import { quantityType, toQuantity, toSemver } from '../library/kubernetes.js';
import { bool, type CelType, dyn, mapOf, showType, string } from '../values/cel-type.js';
import { Failure } from '../values/failure.js';
import type { Shape } from '../values/shape.js';
import { MapValue, ObjectValue, type Value } from '../values/values.js';

/** A device as a ResourceSlice describes it. */
export interface DescribedDevice {
  readonly attributes?: Readonly<Record<string, AttributeFields>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
  readonly allowMultipleAllocations?: boolean;
}

interface AttributeFields {
  readonly string?: string;
  readonly int?: number;
  readonly bool?: boolean;
  readonly version?: string;
}

/** Says whether the device of a driver fulfils a condition; a string when it cannot be evaluated: the reason. */
export type DeviceCondition = (driver: string, device: DescribedDevice) => boolean | string;

/** Units that one evaluation may cost. */
export const maxUnits = 1_000_000;
const maxKept = 200;

/**
 * Returns a compiler of the `cel` selectors of device requests and classes, which keeps what it compiled last. It
 * returns a string for an expression that it cannot compile: the reason.
 */
export function deviceSelectors(): (expression: string) => DeviceCondition | string {
  const kept = new Map<string, DeviceCondition | string>();
  return (expression) => {
    const known = kept.get(expression) ?? compileCondition(expression);
    kept.delete(expression);
    kept.set(expression, known);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return known;
  };
}

function compileCondition(expression: string): DeviceCondition | string {
  const compiled = compileDeviceSelector(expression);
  return typeof compiled === 'string' ? compiled : (driver, device) => evaluate(compiled, driver, device);
}

/** Compiles a condition on `device`; a string when it cannot be: the reason. */
export function compileDeviceSelector(expression: string): Compiled | string {
  const compiled = compileExpression(
    expression,
    { device: { type: deviceShape.type, shape: deviceShape } },
    undefined,
    true,
  );
  if (typeof compiled === 'string') return `compilation failed: ${compiled}`;
  const { name } = compiled.type;
  if (name === bool.name || name === dyn.name)
    return compiled.problem === undefined ? compiled : `program instantiation failed: ${compiled.problem}`;
  return `must evaluate to bool or the unknown type, not ${showType(compiled.type)}`;
}

function evaluate(compiled: Compiled, driver: string, device: DescribedDevice): boolean | string {
  try {
    const value = new Budget(maxUnits).run(compiled, { device: deviceValue(driver, device) });
    if (value instanceof Failure) return explained(value.message);
    return typeof value === 'boolean' ? value : 'CEL result could not be converted to bool';
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error.message;
    throw error;
  }
}

function explained(message: string): string {
  if (!message.includes('no such key:')) return message;
  return `${message}. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields`;
}

const noEntries = new MapValue([]);

function deviceValue(driver: string, device: DescribedDevice): Value {
  const { attributes = {}, capacity = {}, allowMultipleAllocations = false } = device;
  return new ObjectValue(
    deviceShape.type.name,
    new Map<string, () => Value>([
      ['driver', () => driver],
      ['allowMultipleAllocations', () => allowMultipleAllocations],
      ['attributes', () => byDomain(driver, attributes, attributeValue)],
      ['capacity', () => byDomain(driver, capacity, ({ value }) => toQuantity(value))],
    ]),
  );
}

/** A map of maps: `DOMAIN/NAME` is an entry of its domain, `NAME` one of the domain of the driver. Other domains are empty. */
function byDomain<T>(driver: string, named: Readonly<Record<string, T>>, read: (one: T) => Value): Value {
  const domains = new Map<string, [string, Value][]>();
  for (const [name, one] of Object.entries(named)) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const entries = domains.get(domain) ?? [];
    domains.set(domain, [...entries, [name.slice(slash + 1), read(one)]]);
  }
  return new MapValue(
    [...domains].map(([domain, entries]) => [domain, new MapValue(entries)]),
    noEntries,
  );
}

function attributeValue({ int, bool: flag, string: text, version }: AttributeFields): Value {
  if (int !== undefined) return BigInt(int);
  return flag ?? text ?? (version === undefined ? null : toSemver(version, false));
}

const unread = () => null;
const sized = (type: CelType, maxSize: number, more: Partial<Shape> = {}): Shape => ({
  type,
  maxSize,
  minBytes: 0,
  read: unread,
  ...more,
});
const maxEntries = 32;
const domains = (values: Shape): Shape => {
  const names = sized(mapOf(string, values.type), maxEntries, { element: values });
  return sized(mapOf(string, names.type), maxEntries, { element: names });
};
const fields = new Map([
  ['driver', sized(string, 63)],
  ['allowMultipleAllocations', sized(bool, 1)],
  ['attributes', domains(sized(dyn, 64))],
  ['capacity', domains(sized(quantityType, 1))],
]);
const deviceShape = sized(
  {
    name: 'kubernetes.DRADevice',
    params: [],
    fields: new Map([...fields].map(([name, { type }]) => [name, type])),
  },
  fields.size,
  { fields },
);
