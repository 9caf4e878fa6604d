import type { NodeDocument } from '../../feeds/node-feed.js';
import type { NodeLine } from '../../feeds/nodes-feed.js';
import { State } from '../controls/badges.js';
import { Empty, Loading, ProblemNotice } from '../controls/notices.js';
import { Age } from '../controls/when.js';
import { useDocument } from '../live.js';
import { Link } from '../router.js';
import { BarLegend, NodeBar } from './node-bar.js';
import { SizeForm } from './size-form.js';

const meanings = [
  ['hardware', 'what the machine has'],
  ['allocatable', 'what the kubelet has for pods'],
  ['balloon', 'what does not exist for pods'],
  ['size', 'what pods may use'],
  ['requested', 'what pods ask for'],
  ['free', 'what is left of the size'],
] as const;

/** Everything about one node. */
export function NodePage({ name }: { readonly name: string }) {
  const { document: shown, problem } = useDocument<NodeDocument>(`/api/live/node?${new URLSearchParams({ name })}`);
  const { line } = shown ?? {};
  return (
    <>
      <p class="trail">
        <Link to="/nodes">Nodes</Link>
      </p>
      <header class="page-head">
        <h1>{name}</h1>
        {line && <State state={line.state} />}
      </header>
      {problem && <ProblemNotice problem={problem} isStale={shown !== undefined} />}
      {!shown && !problem && <Loading what={name} />}
      {shown && !line && (
        <Empty title="This node does not exist">
          <p>
            <Link to="/nodes">See all nodes</Link>
          </p>
        </Empty>
      )}
      {shown && line && (
        <div class="sections">
          <section>
            <h2>Size</h2>
            <Bars line={line} />
            <BarLegend />
            <Ticket status={shown.status} />
            <SizeForm shown={{ ...shown, line }} />
          </section>
          <Numbers shown={shown} />
          <Takers shown={shown} />
          <Past shown={shown} />
          <Conditions shown={shown} />
          <Neighbours shown={shown} />
        </div>
      )}
    </>
  );
}

function Bars({ line }: { readonly line: NodeLine }) {
  return (
    <div class="big-bars">
      <span>cpu</span>
      <NodeBar line={line} resource="cpu" label={`cpu: size ${line.words.size}`} />
      <span>memory</span>
      <NodeBar line={line} resource="memory" label={`memory: size ${line.words.size}`} />
    </div>
  );
}

/** The resize at work. */
function Ticket({ status }: Pick<NodeDocument, 'status'>) {
  const { resize } = status ?? {};
  if (!resize) return null;
  return (
    <p role="status" class="state state-changing">
      <span class="dot" aria-hidden="true" /> {resize.direction}: {resize.phase} since{' '}
      <Age time={resize.startedAt} behind=" ago" />
    </p>
  );
}

function Numbers({ shown }: { readonly shown: NodeDocument }) {
  const { exact = {}, recommended, floor, spec, line } = shown;
  return (
    <section>
      <h2>Amounts</h2>
      <table class="plain">
        <tbody>
          {meanings.map(([part, meaning]) => (
            <tr key={part}>
              <th scope="row">{part}</th>
              <td>{exact[part]}</td>
              <td class="faint">{meaning}</td>
            </tr>
          ))}
          {floor !== undefined && (
            <tr>
              <th scope="row">floor</th>
              <td>{floor}</td>
              <td class="faint">the smallest size that can be reached now</td>
            </tr>
          )}
          {recommended !== undefined && (
            <tr>
              <th scope="row">recommended</th>
              <td>{recommended}</td>
              <td class="faint">the size that the autosizer would give it</td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="faint">
        Mode {spec?.mode ?? 'Full'}
        {line?.policy ? `, by the policy ${line.policy}` : ', and no policy manages it'}
      </p>
    </section>
  );
}

function Takers({ shown: { takers = [] } }: { readonly shown: NodeDocument }) {
  if (takers.length === 0) return null;
  return (
    <section>
      <h2>Pods that take most</h2>
      <table class="plain">
        <tbody>
          {takers.map(({ pod, amounts }) => (
            <tr key={pod}>
              <td>{pod}</td>
              <td>{amounts}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Past({ shown: { history = [] } }: { readonly shown: NodeDocument }) {
  if (history.length === 0) return null;
  return (
    <section>
      <h2>Last resizes</h2>
      <ul class="lines">
        {history.map(({ at, words, message }) => (
          <li key={at}>
            <Age time={at} behind=" ago" /> {words} <span class="faint">{message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Conditions({ shown: { status } }: { readonly shown: NodeDocument }) {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return null;
  return (
    <section>
      <h2>Conditions</h2>
      <ul class="lines">
        {conditions.map(({ type, status: value, reason, message }) => (
          <li key={type}>
            <strong>{type}</strong> {value} <span class="faint">{reason}</span> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Neighbours({ shown: { neighbours = [], line } }: { readonly shown: NodeDocument }) {
  if (neighbours.length === 0) return null;
  return (
    <section>
      <h2>Nodes of the same machine, {line?.host}</h2>
      <ul class="lines">
        {neighbours.map((one) => (
          <li key={one.key}>
            <Link to={`/nodes/${one.key}`}>{one.key}</Link> {one.words.size}
            <Bars line={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}
