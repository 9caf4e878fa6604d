import fc from 'fast-check';

/** A good value, and now and then an odd one: a policy has many fields, and one that is wrong is enough to reject it. */
export function mostly<T>(good: fc.Arbitrary<T>, ...odd: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
}

/** Fields that are always there, with at most one of the others: together they would leave little to a policy. */
export function withOne(always: Fields, others: Fields): fc.Arbitrary<object> {
  const names = Object.keys(others);
  return fc.constantFrom(undefined, undefined, ...names).chain((name) => {
    const other = name === undefined ? undefined : others[name];
    return fc.record(name === undefined || !other ? always : { ...always, [name]: other });
  });
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;
