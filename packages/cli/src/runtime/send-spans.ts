import { createHash } from 'node:crypto';
import { env } from 'node:process';
import { type SpanRecorder, stderrLog } from '@slipway/kube';
import { version } from './program.js';

/** Sends spans to a collector until it is disposed of, which sends what is left. */
export interface SpanSender extends AsyncDisposable {
  readonly record: SpanRecorder;
}

/** What OpenTelemetry calls the resource: the process that spans come from. */
export interface SpanSource {
  /** Such as `slipway-feature-server`; `OTEL_SERVICE_NAME` replaces it. */
  readonly service: string;
  /** Tells it from other processes of the service. */
  readonly instance: string;
}

const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * Sends spans as OTLP over HTTP, as OpenTelemetry's environment variables say: `OTEL_EXPORTER_OTLP_*`, `OTEL_BSP_*`,
 * `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SDK_DISABLED`. Undefined when they name no endpoint. A collector that
 * is away is said on stderr, and holds nothing up.
 */
export async function sendSpans({ service, instance }: SpanSource): Promise<SpanSender | undefined> {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (isOff || !endpointVariables.some((name) => env[name])) return undefined;
  // Only who traces loads them.
  const { diag, DiagLogLevel, SpanKind, SpanStatusCode, TraceFlags } = await import('@opentelemetry/api');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace');

  const warn = (message: string) => stderrLog.warn('a trace could not be sent', { error: message });
  const nothing = () => {};
  const logger = { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
  // A local cluster has two senders in one process.
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': service,
        'service.instance.id': instance,
        'service.version': version(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const contextOf = (trace: string, part: string | undefined) => ({
    traceId: hexDigest(trace, 32),
    spanId: hexDigest(JSON.stringify([trace, part]), 16),
    traceFlags: TraceFlags.SAMPLED,
  });
  return {
    record({ trace, part, name, startMs, endMs, attributes, error }) {
      processor.onEnd({
        name,
        kind: SpanKind.INTERNAL,
        spanContext: () => contextOf(trace, part),
        ...(part !== undefined && { parentSpanContext: contextOf(trace, undefined) }),
        startTime: highResolution(startMs),
        endTime: highResolution(endMs),
        duration: highResolution(endMs - startMs),
        status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
        attributes: { ...attributes },
        links: [],
        events: [],
        ended: true,
        resource,
        instrumentationScope: { name: 'slipway', version: version() },
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      });
    },
    async [Symbol.asyncDispose]() {
      await processor.shutdown().catch((error: unknown) => warn(String(error)));
    },
  };
}

/** The same for equal texts in every process, so that each of them may tell a part of one trace. */
function hexDigest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** Seconds and nanoseconds, as OpenTelemetry has times. */
function highResolution(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
