/** Between two words: spaces, and line breaks with the marks of a comment. */
const gap = String.raw`[\s*/]+`;

/** Phrases to avoid, each with what to write instead. They count in sources and documents alike. */
const phrases = {
  'is no X': new RegExp(
    `(?<!\\b[Tt]here${gap})\\b[Ii]s${gap}no${gap}(?!(?:longer|more|later|fewer|less)\\b)[a-z]`,
    'g',
  ),
  'for ever': new RegExp(`\\bfor${gap}ever\\b`, 'gi'),
  'somebody, nobody': /\b(?:some|no|any)body\b/gi,
  'function documented as What, How, Who or Where':
    /\/\*\*[\s*]*(?:What|How|Who|Whom|Whose|Where)\b(?:(?!\*\/)[\s\S])*\*\/\s*export (?:default )?(?:async )?function\b/g,
} as const;

export type Phrase = keyof typeof phrases;

/** Counts each phrase in a source file or a document. */
export function countPhrases(text: string): Record<Phrase, number> {
  const count = (phrase: Phrase) => [...text.matchAll(phrases[phrase])].length;
  return {
    'is no X': count('is no X'),
    'for ever': count('for ever'),
    'somebody, nobody': count('somebody, nobody'),
    'function documented as What, How, Who or Where': count('function documented as What, How, Who or Where'),
  };
}

/** Adds up the phrases of several texts. */
export function totalPhrases(texts: readonly string[]): Record<Phrase, number> {
  const total = countPhrases('');
  for (const text of texts) {
    for (const [phrase, count] of Object.entries(countPhrases(text))) total[phrase as Phrase] += count;
  }
  return total;
}

/** Compares counts with the recorded ones. Returns a line for each that rose. */
export function ratchetProblems(
  recorded: Readonly<Record<string, number>>,
  counts: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(counts).flatMap(([phrase, count]) => {
    const limit = recorded[phrase] ?? 0;
    return count > limit ? [`${phrase}: ${count}, at most ${limit}: write it in plain words`] : [];
  });
}

/** Returns the commit subjects longer than 72 characters. */
export function longSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => [...subject].length > 72);
}
