/** Whether `name` is covered by one of the patterns, where `*` stands for any text. */
export function isAllowed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(name);
  });
}
