/** A response as it arrived. */
export interface WireResponse {
  status: number;
  /** The server closes the connection after it. */
  last: boolean;
  /** Size of the body. */
  bytes: number;
  /** The body, one character for each byte; empty when it came in chunks. */
  body: string;
}

/** Finds the responses in what a connection receives, one character for each byte. */
export interface ResponseReader {
  /** Takes what has arrived, and calls `onResponse` with every complete response. */
  read(chunk: string, onResponse: (response: WireResponse) => void): void;
  /** Whether a response has begun and not ended. */
  inside(): boolean;
}

const HEAD_END = '\r\n\r\n';
const CHUNKS_END = '0\r\n\r\n';

export function createResponseReader(): ResponseReader {
  let received = '';
  /** A body that is arriving in chunks. */
  let chunked: { response: WireResponse; left: number } | undefined;

  /** @returns whether more can be read */
  function readOne(onResponse: (response: WireResponse) => void): boolean {
    if (chunked) return readChunk(chunked, onResponse);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const head = received.slice(0, headEnd).toLowerCase();
    const response = {
      status: Number(head.slice(9, 12)),
      last: head.includes('\r\nconnection: close'),
      bytes: 0,
      body: '',
    };
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    if (length === undefined && head.includes('\r\ntransfer-encoding: chunked')) {
      received = received.slice(headEnd + HEAD_END.length);
      chunked = { response, left: 0 };
      return true;
    }
    const end = headEnd + HEAD_END.length + Number(length ?? 0);
    if (received.length < end) return false;
    response.body = received.slice(headEnd + HEAD_END.length, end);
    response.bytes = response.body.length;
    received = received.slice(end);
    onResponse(response);
    return true;
  }

  function readChunk(
    body: NonNullable<typeof chunked>,
    onResponse: (response: WireResponse) => void,
  ): boolean {
    if (body.left > 0) {
      const taken = Math.min(body.left, received.length);
      received = received.slice(taken);
      body.left -= taken;
      return body.left === 0;
    }
    if (received.startsWith(CHUNKS_END)) {
      received = received.slice(CHUNKS_END.length);
      chunked = undefined;
      onResponse(body.response);
      return true;
    }
    const lineEnd = received.indexOf('\r\n');
    const size = Number.parseInt(received.slice(0, lineEnd), 16);
    if (lineEnd < 0 || size === 0) return false;
    body.response.bytes += size;
    // Includes the line break after the chunk.
    body.left = size + 2;
    received = received.slice(lineEnd + 2);
    return true;
  }

  return {
    read(chunk, onResponse) {
      received += chunk;
      while (received.length > 0 && readOne(onResponse));
    },
    inside: () => received.length > 0 || chunked !== undefined,
  };
}
