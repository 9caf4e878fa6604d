/** Lists in which fields two values differ, with both values; lists of texts by what only one of them has. */
export function differences(real: unknown, ours: unknown, path = ''): readonly string[] {
  if (JSON.stringify(real) === JSON.stringify(ours)) return [];
  if (isTexts(real) && isTexts(ours)) {
    const only = (side: string, has: readonly string[], other: readonly string[]) =>
      has.filter((each) => !other.includes(each)).map((each) => `${path}: only ${side}: ${each}`);
    return [...only('real', real, ours), ...only('ours', ours, real)];
  }
  if (!isMap(real) || !isMap(ours)) return [`${path}: real ${JSON.stringify(real)}, ours ${JSON.stringify(ours)}`];
  const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
  return keys.flatMap((key) => differences(real[key], ours[key], `${path}.${key}`));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
