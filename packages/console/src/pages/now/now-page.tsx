import type { Matter } from '../../feeds/now-feed.js';
import { Command } from '../controls/command.js';
import { Empty, Pending } from '../controls/notices.js';
import { Age } from '../controls/when.js';
import { useDocument } from '../shell/live.js';
import { Link } from '../shell/router.js';

const systems: Readonly<Record<Matter['system'], string>> = {
  features: 'Feature',
  nodes: 'Node',
  pulls: 'Pulls',
  keps: 'KEP',
};

/** Shows what needs a person now; nothing when nothing does. */
export function NowPage() {
  const { document: matters, problem } = useDocument<readonly Matter[]>('/api/live/now');
  return (
    <>
      <header class="page-head">
        <h1>Now</h1>
        {matters && matters.length > 0 && (
          <p class="faint">{matters.length === 1 ? '1 thing needs you' : `${matters.length} things need you`}</p>
        )}
      </header>
      <Pending what="the cluster" shown={matters} problem={problem} />
      {matters?.length === 0 && (
        <Empty title="Nothing needs you">
          <p>
            Everything goes on by itself. See <Link to="/features">all features</Link>.
          </p>
        </Empty>
      )}
      {matters && matters.length > 0 && (
        <ol class="matters">
          {matters.map(({ key, system, about, path, why, step, since }) => (
            <li key={`${system}/${key}`} class="matter">
              <p class="matter-head">
                <span class="tag">{systems[system]}</span>
                <Link to={path}>{about}</Link>
                {since && (
                  <span class="faint">
                    for <Age time={since} />
                  </span>
                )}
              </p>
              <p>{why}</p>
              <Command text={step} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
