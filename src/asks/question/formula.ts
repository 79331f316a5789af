// Formulas over the series of a question: numbers, labels, + - * / and parentheses, as `(A + B) / C * 100`.
//   FO1. A series without a value in a bucket, and a division by zero, give no value there: null.

export type Formula =
  | {readonly is: 'number'; readonly number: number}
  | {readonly is: 'label'; readonly label: string}
  | {readonly is: '+' | '-' | '*' | '/'; readonly left: Formula; readonly right: Formula};

export const labelPattern = /^[A-Za-z]\w{0,31}$/;
export const formulaCharsMax = 200;
/** Formulas of one question. */
export const formulasMax = 5;

const token = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z]\w*)|([-+*/()]))/y;

/** Undefined for a text that is none. */
export function readFormula(text: string): Formula | undefined {
  if (text.length > formulaCharsMax) return undefined;
  const tokens = tokensOf(text.trimEnd());
  if (tokens === undefined) return undefined;
  let at = 0;
  const next = (among: string): string | undefined =>
    tokens[at] !== undefined && among.includes(tokens[at]!) ? tokens[at++] : undefined;

  const operand = (): Formula | undefined => {
    if (next('-') !== undefined) {
      const right = operand();
      return right && {is: '-', left: {is: 'number', number: 0}, right};
    }
    if (next('(') !== undefined) {
      const inner = sum();
      return next(')') === undefined ? undefined : inner;
    }
    const text = tokens[at++];
    if (text === undefined || '+*/)'.includes(text)) return undefined;
    return /^\d/.test(text) ? {is: 'number', number: Number(text)} : {is: 'label', label: text};
  };
  const chain = (signs: '*/' | '+-', part: () => Formula | undefined): Formula | undefined => {
    let left = part();
    for (let sign = next(signs); left !== undefined && sign !== undefined; sign = next(signs)) {
      const right = part();
      left = right && {is: sign as '+' | '-' | '*' | '/', left, right};
    }
    return left;
  };
  const product = (): Formula | undefined => chain('*/', operand);
  const sum = (): Formula | undefined => chain('+-', product);

  const formula = sum();
  return at === tokens.length ? formula : undefined;
}

function tokensOf(text: string): readonly string[] | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let end = 0; end < text.length; end = token.lastIndex) {
    const found = token.exec(text);
    if (found === null) return undefined;
    tokens.push(found[1] ?? found[2] ?? found[3]!);
  }
  return tokens;
}

export function labelsIn(formula: Formula): readonly string[] {
  if (formula.is === 'number') return [];
  return formula.is === 'label' ? [formula.label] : [...labelsIn(formula.left), ...labelsIn(formula.right)];
}

/** FO1 */
export function valueOfFormula(formula: Formula, valueIn: (label: string) => number | null): number | null {
  if (formula.is === 'number') return formula.number;
  if (formula.is === 'label') return valueIn(formula.label);
  const [left, right] = [valueOfFormula(formula.left, valueIn), valueOfFormula(formula.right, valueIn)];
  if (left === null || right === null) return null;
  const value = computed(formula.is, left, right);
  return Number.isFinite(value) ? value : null;
}

function computed(sign: '+' | '-' | '*' | '/', left: number, right: number): number {
  switch (sign) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
  }
}
