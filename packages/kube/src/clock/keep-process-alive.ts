/** The longest delay that a Node timer takes; a longer one fires at once. */
const maxTimerMs = 2_147_483_647;

/**
 * Waits for `waiting`, and keeps the process alive until then. Timers of a clock do not: a program that waits for
 * nothing but its own request would exit with 0 before the request is sent.
 */
export async function keepProcessAlive<Result>(waiting: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {}, maxTimerMs);
  try {
    return await waiting;
  } finally {
    clearInterval(timer);
  }
}
