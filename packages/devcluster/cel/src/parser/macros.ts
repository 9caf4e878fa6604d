/** name/arguments -> how many of the arguments are variables. */
const known: Readonly<Record<string, number>> = {
  'all/2': 1,
  'exists/2': 1,
  'exists_one/2': 1,
  'existsOne/2': 1,
  'map/2': 1,
  'map/3': 1,
  'filter/2': 1,
  'sortBy/2': 1,
  'optMap/2': 1,
  'optFlatMap/2': 1,
  'all/3': 2,
  'exists/3': 2,
  'existsOne/3': 2,
  'transformList/3': 2,
  'transformList/4': 2,
  'transformMap/3': 2,
  'transformMap/4': 2,
  'transformMapEntry/3': 2,
  'transformMapEntry/4': 2,
};

/**
 * Returns the number of variables that a macro binds; undefined when no macro has that name and number of arguments.
 */
export function macroArity(name: string, args: number): number | undefined {
  const key = `${name}/${args}`;
  return Object.hasOwn(known, key) ? known[key] : undefined;
}
