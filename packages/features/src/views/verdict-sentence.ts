import type { UpgradeVerdict } from '../upgrade/checks/check-upgrade.js';

const sentences: Readonly<Record<UpgradeVerdict['verdict'], string>> = {
  NothingFound: 'nothing found in what was analysed.',
  Warnings: 'no blocker in what was analysed; look at the warnings first.',
  Unknown: 'cannot be told, since something is not known.',
  Blocked: 'do not, before the blockers are removed.',
};

/** Returns the verdict in a sentence, such as `v1.34 to v1.36 (by way of v1.35): do not, before the blockers are removed.` */
export function verdictSentence({ from, to, path, verdict }: UpgradeVerdict): string {
  const between = path.slice(0, -1).map((version) => `v${version}`);
  const way = between.length > 0 ? ` (by way of ${between.join(', ')})` : '';
  return `v${from} to v${to}${way}: ${sentences[verdict]}`;
}
