import type { NodeNext } from '@slipway/balloons/views';
import type { NodeDocument } from '../../feeds/node-feed.js';
import type { NodeLine } from '../../feeds/nodes-feed.js';
import { State } from '../controls/badges.js';
import { Command } from '../controls/command.js';
import { Missing, Pending } from '../controls/notices.js';
import { Age } from '../controls/when.js';
import { useDocument } from '../shell/live.js';
import { Link } from '../shell/router.js';
import { BarLegend, NodeBar } from './node-bar.js';
import { SizeForm } from './size-form.js';

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
      <Pending what={name} shown={shown} problem={problem} />
      {shown && !line && <Missing title="This node does not exist" all="/nodes" link="See all nodes" />}
      {shown && line && (
        <div class="sections">
          {shown.next && <Next next={shown.next} />}
          <section>
            <h2>Size</h2>
            <Bars line={line} />
            <BarLegend />
            <Ticket status={shown.status} />
            <SizeForm shown={{ ...shown, line }} />
          </section>
          <Amounts shown={shown} />
          <Takers shown={shown} />
          <Past shown={shown} />
          <Conditions shown={shown} />
          <Machine shown={shown} />
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

/** Why it is as it is, and what comes next, in the words of `slipway node explain`. */
function Next({ next }: { readonly next: NodeNext }) {
  const { why, command } = next;
  return (
    <section class="next" aria-label="What comes next">
      <p>{why}</p>
      {command !== undefined && (
        <p class="fix">
          Next: <Command text={command} />
        </p>
      )}
    </section>
  );
}

function Amounts({ shown: { amounts = [], wanted = 'Full', line } }: { readonly shown: NodeDocument }) {
  return (
    <section>
      <h2>Amounts</h2>
      <table class="plain">
        <tbody>
          {amounts.map(({ name, amounts: each, meaning }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{each}</td>
              <td class="faint">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        Wanted: {wanted}
        {line?.policy ? `, by the policy ${line.policy}` : ', and no policy manages it'}
      </p>
    </section>
  );
}

function Takers({ shown: { takers = [] } }: { readonly shown: NodeDocument }) {
  return (
    <section>
      <h2>Pods that take most</h2>
      {takers.length === 0 && <p class="faint">No pod on it asks for cpu or memory.</p>}
      <table class="plain">
        <tbody>
          {takers.map(({ pod, amounts, owner }) => (
            <tr key={pod}>
              <td>{pod}</td>
              <td>{amounts}</td>
              <td class="faint">{owner}</td>
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
        {history.map(({ at, words, from, to, message }) => (
          <li key={at}>
            <Age time={at} behind=" ago" /> {words}, balloon from {from} to {to} <span class="faint">{message}</span>
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

/** The machine that the node shares with others, as `slipway node partition --host` shows it. */
function Machine({ shown: { neighbours = [], partition, line } }: { readonly shown: NodeDocument }) {
  if (neighbours.length === 0 && !partition) return null;
  return (
    <section>
      <h2>Machine {line?.host}</h2>
      {partition && (
        <>
          <p>{partition.text}</p>
          <table class="plain">
            <tbody>
              {partition.shares.map(({ node, share }) => (
                <tr key={node}>
                  <th scope="row">{node}</th>
                  <td>{share}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {partition.others.length > 0 && (
            <p class="faint">No members, but they keep their sizes: {partition.others.join(', ')}</p>
          )}
        </>
      )}
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
