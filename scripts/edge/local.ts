import { getMimeType } from 'hono/utils/mime';

/** Local replacements for two parts of Cloudflare: static assets, and the clock of the cron trigger. */

interface Service {
  fetch(request: Request): Promise<Response>;
  scheduled(event: { scheduledTime: Date; cron: string }): Promise<{ outcome: string }>;
}

/** Files below a directory, by their path. */
export const assets = {
  async fetch(request: Request, { FILES }: { FILES: Service }): Promise<Response> {
    const found = await FILES.fetch(request);
    // A directory is listed as JSON.
    const isFile = found.ok && found.headers.get('content-type') === 'application/octet-stream';
    if (!isFile) {
      await found.body?.cancel();
      return new Response(null, { status: 404 });
    }
    const type = getMimeType(new URL(request.url).pathname) ?? 'application/octet-stream';
    return new Response(found.body, { headers: { 'content-type': type } });
  },
};

/** Runs the cron trigger of the time in the path; answers how that went. */
export const cron = {
  async fetch({ url }: Request, { WORKER }: { WORKER: Service }): Promise<Response> {
    const scheduledTime = new Date(Number(new URL(url).pathname.slice(1)));
    const { outcome } = await WORKER.scheduled({ scheduledTime, cron: '* * * * *' });
    return new Response(outcome, { status: outcome === 'ok' ? 200 : 500 });
  },
};
