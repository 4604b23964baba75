/**
 * Removes what a formatter changes: white space, the kind of quotes, semicolons at the ends of lines, commas at the end and
 * before a closing bracket, and brackets around the value of an assignment or around the only parameter of a function. Linear:
 * without the lookbehinds, each semicolon of a long row would start a match.
 */
export const normalizeCode = (code: string): string =>
  withoutOuterBrackets(
    code
      .replace(/(?<!;);+[ \t]*$/gm, '')
      .replace(/\\\r?$/gm, '')
      .trimEnd()
      .replace(/(?<![,;])[,;]+$/, '')
      .replace(/,(?=\s*[)\]}])/g, '')
      .replace(/'/g, '"')
      .replace(/\s+/g, ''),
  ).replace(/\((\w{1,100})\)=>/g, '$1=>');

/** The brackets that make it possible to wrap a long expression: `return (a + b)`, `x = (a + b)`, `if (a and b):`. */
function withoutOuterBrackets(code: string): string {
  const [head = ''] =
    /^(?:return|yield|await|assert|if|elif|while|in|(?:(?:const|let|var)?[\w$.[\]":]{1,200})?[=+]?=)(?=\()/.exec(
      code,
    ) ?? [];
  const tail = /\):?$/.exec(code)?.[0] ?? '';
  if (!head || !tail) return code;
  const inner = code.slice(head.length + 1, code.length - tail.length);
  let depth = 0;
  for (const character of inner) {
    if (character === '(') depth++;
    else if (character === ')' && --depth < 0) return code;
  }
  return depth === 0 ? `${head}${inner}${tail.slice(1)}` : code;
}
