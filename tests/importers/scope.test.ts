import { describe, expect, it } from 'vitest';
import { scopeOf } from '../../lib/importers/identity/source/scope.ts';

/** The scope of the line that contains `HERE`. */
const scopeIn = (code: string, file?: string) => {
  const lines = code.split('\n');
  return scopeOf(lines, lines.findIndex((line) => line.includes('HERE')) + 1, file);
};

describe('the scope of a line', () => {
  it.each([
    [
      'Python: method',
      'class A:\n    @cached\n    async def run(self,\n                  x):\n        if x:\n            HERE',
      'class A > def run',
    ],
    ['Python: after a function', 'def a():\n    pass\n\nHERE', undefined],
    ['Python: after a nested function', 'def a():\n    def b():\n        pass\n    HERE', 'def a'],
    ['JavaScript: function', 'export async function load(a) {\n  HERE\n}', 'function load'],
    [
      'JavaScript: arrow function',
      'const load = async (a) => {\n  try {\n    HERE\n  } catch {}\n};',
      'load',
    ],
    ['JavaScript: method', 'class A {\n  async run(a) {\n    HERE\n  }\n}', 'class A > run'],
    ['JavaScript: callback', "app.get('/a', (req, res) => {\n  HERE\n});", 'app.get /a'],
    [
      'JavaScript: wrapped callback',
      'app.get(\n  "/a",\n  (req, res) => {\n    HERE\n  },\n);',
      'app.get /a',
    ],
    ['TypeScript: interface', 'export interface A {\n  HERE: string;\n}', 'interface A'],
    [
      'TypeScript: typed method',
      'class A<T> {\n  private run(a: T): void {\n    HERE\n  }\n}',
      'class A > run',
    ],
    ['Go: function', 'func Run(a string) error {\n\tHERE\n}', 'func Run'],
    ['Go: method', 'func (s *Server) Run(a string) error {\n\tfor {\n\t\tHERE\n\t}\n}', 'func Server.Run'],
    [
      'Java: method',
      'public class A {\n    @Override\n    public static String run(int a) throws E {\n        HERE\n    }\n}',
      'class A > run',
    ],
    ['C: function', 'static int run(char *a)\n{\n    if (a) {\n        HERE\n    }\n}', undefined],
    ['C: function with its brace', 'static int run(char *a) {\n#ifdef X\n    HERE\n}', 'run'],
    [
      'PHP: method',
      'class A {\n    public function run($a) {\n        HERE\n    }\n}',
      'class A > function run',
    ],
    ['PHP: callback', "$app->get('/a', function ($req) {\n    HERE\n});", '$app->get /a'],
    [
      'Ruby: method',
      'module M\n  class A\n    def run!(a)\n      HERE\n    end\n  end\nend',
      'module M > class A > def run!',
    ],
    ['Ruby: block', "it 'works' do\n  HERE\nend", 'it works'],
    [
      'Terraform',
      'resource "aws_s3_bucket" "a" {\n  versioning {\n    HERE\n  }\n}',
      'resource "aws_s3_bucket" "a"',
    ],
    [
      'YAML',
      'jobs:\n  build:\n    steps:\n      - name: Test\n        run: HERE',
      'jobs > build > steps > Test',
    ],
    ['the top level', 'HERE', undefined],
  ])('%s', (_, code, scope) => {
    expect(scopeIn(code)).toBe(scope);
  });

  it('Dockerfile: the stage', () => {
    const code = 'FROM node:20 AS build\nRUN a\nFROM debian:12\nRUN HERE';
    expect(scopeIn(code, 'api/Dockerfile')).toBe('stage debian');
    expect(scopeIn(code.replace('RUN a', 'RUN HERE'), 'Dockerfile.prod')).toBe('stage build');
  });

  it('does not depend on the indentation', () => {
    const code = 'class A {\n  run() {\n    HERE\n  }\n}';
    expect(scopeIn(code.replaceAll('  ', '\t'))).toBe(scopeIn(code));
  });

  it.each([
    ['deep', Array.from({ length: 20_000 }, (_, at) => `${' '.repeat(at % 5_000)}def a${at}(`)],
    ['wide', Array.from({ length: 200_000 }, (_, at) => `${at % 2 ? '    ' : ''}x`)],
    ['long words', Array.from({ length: 2_000 }, () => 'a '.repeat(140))],
    ['open brackets', Array.from({ length: 2_000 }, () => 'a( '.repeat(99))],
  ])('of hostile code: %s', (_, lines) => {
    for (let line = 1; line <= lines.length; line += 7) scopeOf(lines, line);
  });
});
