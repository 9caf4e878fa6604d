/** Counts of zero are left out of a status, as the API has it. */
export function positive<K extends string>(name: K, count: number): { [P in K]?: number } {
  return count > 0 ? ({ [name]: count } as { [P in K]: number }) : {};
}
