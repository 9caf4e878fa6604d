import { monitorEventLoopDelay } from 'node:perf_hooks';
import { metricText } from '@slipway/feature-gates/metrics';

/** What a process costs and how responsive it is. */
export interface ProcessMetrics {
  /** The page of what began at `startedMs`, in the Prometheus text format: several components share this process. */
  page(startedMs: number): string;
  close(): void;
}

/** Looks at this process from now on. */
export function processMetrics(): ProcessMetrics {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return {
    page(startedMs) {
      const { user, system } = process.cpuUsage();
      const gauge = (name: string, help: string, value: number) => metricText(name, 'gauge', help, [{ value }]);
      const stalls = [50, 90, 99, 100].map((percentile) => ({
        labels: { quantile: String(percentile / 100) },
        value: delays.percentile(percentile) / 1e9,
      }));
      return (
        metricText('process_cpu_seconds_total', 'counter', 'Seconds of processor time used.', [
          { value: (user + system) / 1e6 },
        ]) +
        gauge('process_resident_memory_bytes', 'Bytes of memory in use.', process.memoryUsage.rss()) +
        gauge('process_start_time_seconds', 'When the process began, in seconds since the epoch.', startedMs / 1000) +
        metricText('nodejs_eventloop_lag_seconds', 'gauge', 'Seconds by which the event loop came late.', stalls)
      );
    },
    close: () => void delays.disable(),
  };
}
