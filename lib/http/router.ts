import type { MiddlewareHandler } from 'hono';
import { METHOD_NAME_ALL, type Result, type Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import type { RouterRoute } from 'hono/types';
import { compose } from './middleware/compose.ts';

/** A handler as Hono adds it to a router. */
type Added = [MiddlewareHandler, RouterRoute];

/** The handlers of one path, in the order in which they were added. */
class Route {
  /** Handlers for all methods, which answer methods without own handlers. */
  readonly #any: Added[] = [];
  readonly #byMethod = new Map<string, Added[]>();
  /** By method, created on first use. */
  readonly #composed = new Map<string, Added>();

  add(method: string, handler: Added): void {
    this.#composed.clear();
    if (method === METHOD_NAME_ALL) {
      for (const handlers of [this.#any, ...this.#byMethod.values()]) handlers.push(handler);
      return;
    }
    if (!this.#byMethod.has(method)) this.#byMethod.set(method, [...this.#any]);
    this.#byMethod.get(method)?.push(handler);
  }

  /** One handler that runs all of the method; undefined if there is none. */
  of(method: string): Added | undefined {
    const key = this.#byMethod.has(method) ? method : METHOD_NAME_ALL;
    const known = this.#composed.get(key);
    if (known) return known;
    const [first, ...others] = this.#byMethod.get(key) ?? this.#any;
    if (!first) return undefined;
    const composed: Added = [compose([first, ...others].map(([handler]) => handler)), first[1]];
    this.#composed.set(key, composed);
    return composed;
  }
}

/**
 * Hono's TrieRouter with one entry per path instead of one per handler. An endpoint has about a dozen handlers (its
 * middleware), and a match takes 2 µs instead of 11 µs. Hono's RegExpRouter is as fast, but does not support a path such as
 * `/members/leave` together with `/members/:userId`.
 */
export class RouteRouter implements Router<Added> {
  readonly name = 'RouteRouter';
  readonly #trie = new TrieRouter<Route>();
  readonly #routes = new Map<string, Route>();

  add(method: string, path: string, handler: Added): void {
    let route = this.#routes.get(path);
    if (!route) {
      route = new Route();
      this.#routes.set(path, route);
      this.#trie.add(METHOD_NAME_ALL, path, route);
    }
    route.add(method, handler);
  }

  match(method: string, path: string): Result<Added> {
    const matched: [Added, Record<string, string>][] = [];
    for (const [route, params] of this.#trie.match(METHOD_NAME_ALL, path)[0]) {
      const handler = route.of(method);
      if (handler) matched.push([handler, params as Record<string, string>]);
    }
    return [matched];
  }
}
