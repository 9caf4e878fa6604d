import type { WhatIf } from '../what-if/what-if.js';
import { secondsText, sizeText } from './pull-rows.js';

/** Describes the records that other limits were computed from, in a sentence without its full stop. */
export function recordsInWords({ pulls, limit, link, replayError, was }: WhatIf): string {
  if (pulls === 0) return 'No pulls on record.';
  const rate = (perMs: number) => `${sizeText(perMs * 1_000)}/s`;
  const shared = Number.isFinite(link.rate) ? `a link of ${rate(link.rate)}` : 'a link that never was full';
  const each = Number.isFinite(link.connectionRate) ? `, ${rate(link.connectionRate)} for each connection` : '';
  const replay = `the replay is off by ${(replayError * 100).toFixed(1)} %`;
  const held = limit === 0 ? 'without a limit' : `at limit ${limit}`;
  return `${pulls} pulls ${held}, ${secondsText(was.meanMs)} on average: ${shared}${each}; ${replay}`;
}

/** Says which limit is best, or why that cannot be known. */
export function verdictInWords({ verdict, limit, binds }: Pick<WhatIf, 'verdict' | 'limit' | 'binds'>): string {
  if (verdict.kind === 'refused') return `Nothing is recommended: ${verdict.reason}.`;
  const why = binds === 'connection' ? 'each connection is slow, not the link' : 'none of the limits is better';
  if (verdict.limit === 0) return `No limit is best here: ${why}.`;
  const percent = `${Math.round(verdict.betterBy * 100)} %`;
  const now = verdict.limit === limit ? ', as it is now' : '';
  return `Recommended: ${verdict.limit}${now}. An image is there ${percent} sooner on average than without a limit.`;
}
