import { useEffect, useState } from 'preact/hooks';
import type { PullOutlook } from '../../actions/pull-outlook.js';
import type { Problem } from '../../feeds/problem.js';
import { Loading, ProblemNotice } from '../controls/notices.js';
import { Scroll } from '../controls/scroll.js';
import { ask } from '../shell/session.js';

interface Answer extends Partial<PullOutlook> {
  readonly problem?: Problem;
  readonly error?: string;
}

/** Shows what other limits would have meant for the pulls of a node or of the journal of a limiter. */
export function Outlook({ of }: { readonly of: { readonly node: string } | { readonly limiter: string } }) {
  const [answer, setAnswer] = useState<Answer>();
  const query = new URLSearchParams({ ...of }).toString();
  useEffect(() => {
    setAnswer(undefined);
    ask<Answer>(`/api/pulls/outlook?${query}`).then(setAnswer, (error: unknown) => setAnswer({ error: `${error}` }));
  }, [query]);
  if (!answer) return <Loading what="past pulls" />;
  const { problem, error, records, verdict, bars = [] } = answer;
  return (
    <div class="outlook">
      {problem && <ProblemNotice problem={problem} />}
      {error && (
        <p class="warn" role="alert">
          {error}
        </p>
      )}
      {verdict && (
        <p>
          <strong>{verdict}</strong>
        </p>
      )}
      {records && <p class="faint">{records}</p>}
      {bars.length > 0 && <Chart {...answer} bars={bars} />}
    </div>
  );
}

/** A line for each limit, with the mean time to an image as a bar. */
function Chart({ bars, best, limit: held }: Answer & Pick<PullOutlook, 'bars'>) {
  const longestMs = Math.max(...bars.map(({ p95Ms }) => p95Ms));
  const width = (ms: number) => `${(ms / Math.max(1, longestMs)) * 100}%`;
  return (
    <Scroll label="Limits">
      <table class="plain chart">
        <caption class="hidden">Time to an image under each limit</caption>
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" class="chart-column">
              Mean, and 95 of 100
            </th>
            <th scope="col">Mean</th>
            <th scope="col">P95</th>
            <th scope="col">First</th>
            <th scope="col">Busy</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ limit, meanMs, p95Ms, mean, p95, first, busy }) => (
            <tr key={limit} class={limit === best ? 'chart-best' : ''}>
              <th scope="row">
                {limit === 0 ? 'none' : limit} {limit === best && <span class="tag">best</span>}{' '}
                {limit === held && <span class="tag">now</span>}
              </th>
              <td>
                <span class="chart-bar" aria-hidden="true">
                  <i class="chart-p95" style={{ width: width(p95Ms) }} />
                  <i class="chart-mean" style={{ width: width(meanMs) }} />
                </span>
              </td>
              <td>{mean}</td>
              <td>{p95}</td>
              <td>{first}</td>
              <td>{busy}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
