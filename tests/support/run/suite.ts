type Undo = () => unknown;

const ofTest: Undo[] = [];
const ofSuite: Undo[] = [];

/** Registers a function that runs after the current test, the last one first. An exception fails the test. */
export function afterTest(undo: Undo): void {
  ofTest.push(undo);
}

/** Registers a function that runs after the current suite (the file), the last one first. */
export function afterSuite(undo: Undo): void {
  ofSuite.push(undo);
}

async function undoAll(undos: Undo[]): Promise<void> {
  for (const undo of undos.splice(0).reverse()) await undo();
}

export const endTest = () => undoAll(ofTest);
export const endSuite = () => undoAll(ofSuite);
