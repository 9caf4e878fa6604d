/** How a task ends for which objects remain that waivers let be. */
export function letBe(count: number, waived: ReadonlySet<string>) {
  return { result: 'Waived', note: `${count} objects still use it: ${[...waived].join(', ')}` } as const;
}
