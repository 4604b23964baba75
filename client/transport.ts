import { TransportError } from './errors.ts';

export interface TransportOptions {
  timeoutMs: number;
  maxBytes: number;
  /** Aborts all requests. */
  signal: AbortSignal | undefined;
  fetch: (request: Request) => Promise<Response>;
  /** Called for each response with a warning of the service. */
  onWarning: (warning: string) => void;
}

/** A response whose body is read in chunks. */
export interface OpenResponse {
  head: Response;
  /** Throws a {@link TransportError} unless the body is complete. */
  chunks: AsyncGenerator<Uint8Array, void>;
}

export interface Transport {
  /** Reads the whole response within the timeout. */
  send(request: Request): Promise<Response>;
  /** Returns once the response begins. Each chunk has the timeout of its own. */
  open(request: Request): Promise<OpenResponse>;
}

/** Sends requests with a timeout, without following redirects. Works wherever there is `fetch`. */
export function createTransport(options: TransportOptions): Transport {
  const { timeoutMs, maxBytes } = options;

  async function send(request: Request): Promise<Response> {
    const attempt = new Attempt(request, options);
    try {
      const head = await attempt.respond();
      if (head.body === null) return head;
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of attempt.read(head)) {
        size += chunk.byteLength;
        if (size > maxBytes)
          throw new TransportError('too_large', `The response has more than ${maxBytes} bytes.`);
        parts.push(chunk);
      }
      const { status, headers } = head;
      // Other statuses than 204 and 304 have a body, even if it is empty.
      const body = status === 204 || status === 304 ? null : new Blob(parts as Uint8Array<ArrayBuffer>[]);
      return new Response(body, { status, headers });
    } finally {
      attempt.end();
    }
  }

  async function open(request: Request): Promise<OpenResponse> {
    const attempt = new Attempt(request, options);
    try {
      const head = await attempt.respond();
      return { head, chunks: chunksOf(attempt, head) };
    } catch (error) {
      attempt.end();
      throw error;
    }
  }

  async function* chunksOf(attempt: Attempt, head: Response): AsyncGenerator<Uint8Array, void> {
    try {
      // The consumer may take its time: only the service is timed.
      attempt.pauseTimer();
      for await (const chunk of attempt.read(head, () => attempt.startTimer(timeoutMs))) {
        attempt.pauseTimer();
        yield chunk;
      }
    } finally {
      attempt.end();
    }
  }
  return { send, open };
}

/** As the service writes it. Proxies have other codes. */
const WARNING = /299 - "([^"]*)"/;

/** One request, until its response has been read. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #aborted: Promise<never>;
  readonly #request: Request;
  readonly #fetch: TransportOptions['fetch'];
  readonly #onWarning: TransportOptions['onWarning'];
  readonly #signals: AbortSignal[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(request: Request, { fetch, onWarning, signal, timeoutMs }: TransportOptions) {
    this.#request = request;
    this.#fetch = fetch;
    this.#onWarning = onWarning;
    this.#signals = [request.signal, ...(signal ? [signal] : [])];
    // AbortSignal.any is not used: browsers and Node collect combined signals too early.
    for (const one of this.#signals) {
      if (one.aborted) this.#controller.abort(one.reason);
      one.addEventListener('abort', this.#stop, { once: true });
    }
    const { signal: own } = this.#controller;
    this.#aborted = new Promise((_, reject) => {
      if (own.aborted) reject(own.reason);
      own.addEventListener('abort', () => reject(own.reason), { once: true });
    });
    this.#aborted.catch(() => {});
    this.startTimer(timeoutMs);
  }

  #stop = (event: Event): void => this.#controller.abort((event.target as AbortSignal).reason);

  startTimer(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(new TransportError('timeout', `The service sent nothing for ${ms} ms.`));
    }, ms);
  }

  pauseTimer(): void {
    clearTimeout(this.#timer);
  }

  async respond(): Promise<Response> {
    const { signal } = this.#controller;
    // Workers do not support `redirect: 'error'`.
    const request = new Request(this.#request, { signal, redirect: 'manual' });
    const response = await this.#race(this.#fetch(request), 'unreachable');
    const { status, type } = response;
    if (type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304))
      throw new TransportError('redirected', 'The base URL redirects. Use the address it leads to.');
    const [, warning] = WARNING.exec(response.headers.get('warning') ?? '') ?? [];
    if (warning !== undefined) this.#onWarning(warning);
    return response;
  }

  async *read({ body }: Response, beforeChunk = () => {}): AsyncGenerator<Uint8Array, void> {
    if (!body) return;
    const reader = body.getReader();
    try {
      for (;;) {
        beforeChunk();
        const { done, value } = await this.#race(reader.read(), 'cut_off');
        if (done) return;
        yield value;
      }
    } finally {
      // Frees the connection if the consumer stops early.
      reader.cancel().catch(() => {});
    }
  }

  /** Ends when the signal does, even if `fetch` ignores it. */
  async #race<T>(work: Promise<T>, code: 'unreachable' | 'cut_off'): Promise<T> {
    try {
      return await Promise.race([work, this.#aborted]);
    } catch (error) {
      work.catch(() => {});
      const { signal } = this.#controller;
      if (signal.aborted) throw signal.reason;
      const text = code === 'cut_off' ? 'The response ended early.' : 'The service cannot be reached.';
      throw new TransportError(code, text, { cause: error });
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const one of this.#signals) one.removeEventListener('abort', this.#stop);
  }
}
