/** Pages of one process, each with the minute from which on it is scraped; undefined while the process does not answer. */
export type Pages = readonly (readonly [minute: number, page: string | undefined])[];

/** Something that happens, by the metrics that processes print meanwhile. */
export interface Situation {
  /** Pages by the process that has them, instead of those of a healthy one. */
  readonly pages: Readonly<Record<string, Pages>>;
  /** The last minute in which nothing is to be reported yet. */
  readonly quietUntil: number;
  /** Labels of the alert, its severity apart. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Series of all processes over some minutes, in the notation of `promtool test rules`. */
export function inputSeries(processes: Readonly<Record<string, Pages>>, minutes: number) {
  return Object.entries(processes).flatMap(([instance, pages]) => {
    const series = new Map<string, string[]>();
    for (let minute = 0; minute <= minutes; minute++) {
      const page = pages.findLast(([from]) => from <= minute)?.[1] ?? '';
      for (const [, name = '', labels = '', value = ''] of page.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        const key = `${name}{${[labels, `instance="${instance}"`].filter(Boolean).join(',')}}`;
        // As Prometheus has it when a series is no longer in a page, or the page cannot be read.
        const values =
          series.get(key) ??
          Array<string>(minutes + 1)
            .fill('_')
            .fill('stale', minute);
        series.set(key, values);
        values[minute] = value;
      }
    }
    return [...series].map(([name, values]) => ({ series: name, values: values.join(' ') }));
  });
}
