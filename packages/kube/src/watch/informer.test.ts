import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { type LogFields, type Logger, silentLog } from '../log/logger.js';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, type Widget, Widgets } from '../testing/widgets.js';
import { createInformer } from './informer.js';
import { InformerFactory } from './informer-factory.js';
import { Reflector } from './reflector.js';

function setUp(...names: string[]) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock, objects: names.map((name) => aWidget(name)) });
  const errors: string[] = [];
  const log: Logger = { ...silentLog, error: (message: string, _fields?: LogFields) => void errors.push(message) };
  const kube = new Kube(api, { clock });
  const factory = new InformerFactory(kube, { log, random: () => 0 });
  return { clock, api, kube, errors, factory, widgets: kube.resource(Widgets), informer: factory.informer(Widgets) };
}

const ref = (name: string) => ({ name, namespace: 'default' });

test('Informer fills its cache and tells handlers of every change, in order', async () => {
  const { clock, factory, informer, widgets } = setUp('a');
  const seen: string[] = [];
  informer.onChange(({ type, object, previous }) =>
    seen.push(`${type} ${object.metadata.name} ${previous?.spec.size ?? '-'}>${object.spec.size}`),
  );
  factory.start();
  await informer.whenSynced();
  await widgets.create(aWidget('b'));
  await widgets.merge(ref('a'), { spec: { size: 2 } });
  await widgets.delete(ref('b'));
  await clock.advance(0);
  expect(seen).toEqual(['added a ->1', 'added b ->1', 'updated a 1>2', 'deleted b ->1']);
  expect(informer.lister.get(ref('a'))?.spec.size).toBe(2);
  expect(informer.lister.list()).toHaveLength(1);
  await factory.stop();
});

test('Informer transforms each object of a list once, page by page', async () => {
  const { clock, factory, kube } = setUp('a', 'b', 'c');
  const seen: string[] = [];
  const transform = (widget: Widget): Widget => {
    seen.push(widget.metadata.name ?? '');
    return { ...widget, spec: { ...widget.spec, size: 7 } };
  };
  const client = kube.resource(Widgets);
  const paged: typeof client = Object.assign(Object.create(client), {
    async *pages() {
      for (const name of ['a', 'b']) {
        yield { items: [await client.get(ref(name))], resourceVersion: '3' };
        expect(seen.at(-1)).toBe(name);
      }
    },
  });
  const slim = createInformer<Widget>({
    transform,
    log: silentLog,
    reflect: (sink, signal) => new Reflector({ client: paged, sink, clock, random: () => 0 }).run(signal),
  });
  slim.start();
  await slim.whenSynced();
  expect(seen).toEqual(['a', 'b']);
  expect(slim.lister.list().map(({ spec }) => spec.size)).toEqual([7, 7]);
  await slim.stop();
  await factory.stop();
});

test('Informer: a handler that comes late is told first what is there', async () => {
  const { factory, informer } = setUp('a', 'b');
  factory.start();
  await factory.whenSynced();
  const seen: (string | undefined)[] = [];
  informer.onChange(({ object }) => seen.push(object.metadata.name));
  expect(seen).toEqual(['a', 'b']);
  await factory.stop();
});

test('Informer: the error of one handler is logged and concerns no other', async () => {
  const { factory, informer, errors } = setUp('a', 'b');
  const seen: (string | undefined)[] = [];
  informer.onChange(() => {
    throw new Error('broken handler');
  });
  informer.onChange(({ object }) => seen.push(object.metadata.name));
  factory.start();
  await informer.whenSynced();
  expect(seen).toEqual(['a', 'b']);
  expect(errors).toEqual(['a change handler failed', 'a change handler failed']);
  await factory.stop();
});

test('Informer: what was deleted unseen is reported with its last known state', async () => {
  const { clock, api, factory, informer, widgets } = setUp('a', 'b');
  const seen: string[] = [];
  factory.start();
  await informer.whenSynced();
  informer.onChange(({ type, object, finalStateUnknown }) =>
    seen.push(`${type} ${object.metadata.name} ${object.metadata.uid} ${finalStateUnknown ?? false}`),
  );
  seen.length = 0;
  api.intercept(() => {
    throw new Error('away');
  });
  api.endWatches(new Error('socket hang up'));
  await clock.advance(0);
  api.intercept(undefined);
  await widgets.delete(ref('a'));
  await widgets.delete(ref('b'));
  await widgets.create(aWidget('b'));
  api.compact();
  await clock.advance(10_000);
  expect(seen).toEqual(['deleted a uid-1 true', 'deleted b uid-2 true', 'added b uid-3 false']);
  await factory.stop();
});

test('Informer gives frozen objects', async () => {
  const { factory, informer } = setUp('a');
  factory.start();
  await informer.whenSynced();
  expect(() => {
    (informer.lister.get(ref('a')) as Widget).spec.size = 5;
  }).toThrow(TypeError);
  await factory.stop();
});

test('Informer: indexes follow every change', async () => {
  const { clock, factory, informer, widgets } = setUp('a', 'b');
  informer.addIndex('bySize', (widget) => [String(widget.spec.size)]);
  factory.start();
  await informer.whenSynced();
  await widgets.merge(ref('a'), { spec: { size: 2 } });
  await widgets.delete(ref('b'));
  await clock.advance(0);
  expect(informer.lister.byIndex('bySize', '1')).toEqual([]);
  expect(informer.lister.byIndex('bySize', '2')).toHaveLength(1);
  expect(() => informer.lister.byIndex('byColour', 'x')).toThrow(RangeError);
  await factory.stop();
});

test('Lister.list() selects by namespace and labels', async () => {
  const { clock, factory, informer, widgets } = setUp();
  factory.start();
  await informer.whenSynced();
  await widgets.create(aWidget('a', { labels: { tier: 'web' } }));
  await widgets.create(aWidget('a', { namespace: 'other', labels: { tier: 'web' } }));
  await widgets.create(aWidget('b', { namespace: 'other' }));
  await clock.advance(0);
  const names = (options: { namespace?: string; labelSelector?: string }) =>
    informer.lister.list(options).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  expect(names({ namespace: 'other' })).toEqual(['other/a', 'other/b']);
  expect(names({ labelSelector: 'tier in (web,db)' })).toEqual(['default/a', 'other/a']);
  expect(names({ namespace: 'other', labelSelector: '!tier' })).toEqual(['other/b']);
  await factory.stop();
});

test('InformerFactory shares informers of equal options, transforms included', () => {
  const { factory, informer } = setUp();
  const slim = (widget: Widget): Widget => ({ ...widget, metadata: { ...widget.metadata, managedFields: [] } });
  expect(factory.informer(Widgets, {})).toBe(informer);
  expect(factory.informer(Widgets, { namespace: 'a' })).not.toBe(informer);
  expect(factory.informer(Widgets, { transform: slim })).not.toBe(informer);
  expect(factory.informer(Widgets, { transform: slim })).toBe(factory.informer(Widgets, { transform: slim }));
});

test('Informer.whenSynced() rejects when its signal aborts, and goes on being filled', async () => {
  const { factory, informer } = setUp('a');
  const stop = new AbortController();
  const waiting = informer.whenSynced(stop.signal);
  stop.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  factory.start();
  await informer.whenSynced();
  expect(informer.synced()).toBe(true);
  await factory.stop();
});
