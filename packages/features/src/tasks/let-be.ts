/** Returns the outcome of a task whose remaining objects are covered by waivers. */
export function letBe(count: number, waived: ReadonlySet<string>) {
  return { result: 'Waived', note: `${count} objects still use it: ${[...waived].join(', ')}` } as const;
}
