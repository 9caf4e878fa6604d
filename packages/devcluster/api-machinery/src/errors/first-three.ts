/** The first three, and how many more there are; `<unset>` when there are none. */
export function firstThree(items: readonly string[]): string {
  if (items.length === 0) return '<unset>';
  const shown = items.slice(0, 3).join(',');
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}
