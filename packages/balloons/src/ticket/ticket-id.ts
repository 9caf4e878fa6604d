/** Returns an ID for a ticket that carries out a generation of a NodeSize; `random` draws numbers from 0 up to 1. */
export function ticketId(generation: number, random: () => number): string {
  const letters = Array.from({ length: 4 }, () => 'bcdfghjklmnpqrstvwxz'[Math.floor(random() * 20)]).join('');
  return `${generation}-${letters}`;
}

/** Whether a ticket with this ID carries out that generation. */
export function isOfGeneration(id: string, generation: number): boolean {
  return id.startsWith(`${generation}-`);
}
