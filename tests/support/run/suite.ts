type Undo = () => unknown;

const ofTest: Undo[] = [];
const ofSuite: Undo[] = [];

/** Is done after the test that is running, the last first; what it throws fails the test. */
export function afterTest(undo: Undo): void {
  ofTest.push(undo);
}

/** Is done after the suite (the file) that is running, the last first. */
export function afterSuite(undo: Undo): void {
  ofSuite.push(undo);
}

async function undoAll(undos: Undo[]): Promise<void> {
  for (const undo of undos.splice(0).reverse()) await undo();
}

export const endTest = () => undoAll(ofTest);
export const endSuite = () => undoAll(ofSuite);
