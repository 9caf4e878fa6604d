import { type PastPulls, pastPullsOf, readJournal, whatIf } from '@slipway/image-pulls';
import { recordsInWords, secondsText, verdictInWords } from '@slipway/image-pulls/views';

/** What other limits would have meant, as `slipway pulls what-if` says it. */
export interface PullOutlook {
  /** What was computed from. */
  readonly records: string;
  readonly verdict: string;
  /** The best limit; absent when nothing is recommended. */
  readonly best?: number;
  /** The limit that held. 0 is none, here and below. */
  readonly limit: number;
  readonly bars: readonly {
    readonly limit: number;
    readonly meanMs: number;
    readonly p95Ms: number;
    readonly first: string;
    readonly mean: string;
    readonly p95: string;
    readonly busy: string;
  }[];
}

const limits = Array.from({ length: 16 }, (_, index) => index + 1);

/** Computes from pulls that ended what each limit up to 16, and none, would have meant. */
export function pullOutlook(past: PastPulls): PullOutlook {
  const told = whatIf(past, limits);
  const { verdict, limit, outlooks } = told;
  const about = { records: recordsInWords(told), verdict: verdictInWords(told), limit };
  if (verdict.kind === 'refused') return { ...about, bars: [] };
  const bars = outlooks.map(({ limit: one, firstMs, meanMs, p95Ms, busyMs }) => ({
    limit: one,
    meanMs,
    p95Ms,
    first: secondsText(firstMs),
    mean: secondsText(meanMs),
    p95: secondsText(p95Ms),
    busy: secondsText(busyMs),
  }));
  return { ...about, best: verdict.limit, bars };
}

/** Reads the pulls of a journal. @throws an error of the file system when there is none */
export function pastPullsOfJournal(path: string): PastPulls {
  return pastPullsOf(readJournal(path).entries);
}
