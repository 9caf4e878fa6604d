import { useEffect, useState } from 'preact/hooks';

/** The time now, told again every few seconds. */
export function useNow(everyMs = 5_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** `45s`, `12m`, `5h`, `3d`, as kubectl has it. */
export function ageText(time: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(time)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

interface AgeProps {
  readonly time: string | undefined;
  /** Behind the age, such as ` ago`. */
  readonly behind?: string;
}

/** Shows the age of a time, with the exact time on hover. */
export function Age({ time, behind = '' }: AgeProps) {
  const now = useNow();
  if (!time || Number.isNaN(Date.parse(time))) return <span class="faint">–</span>;
  return (
    <time dateTime={time} title={`${new Date(time).toLocaleString()} (${time})`}>
      {ageText(time, now)}
      {behind}
    </time>
  );
}
