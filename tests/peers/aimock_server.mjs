// aimock, as a child: says where it answers, and ends when its standard input does.
// Arguments: the folder that the package is installed in, and a file of fixtures.

import { pathToFileURL } from "node:url";

const [folder, fixtures] = process.argv.slice(2);
const { LLMock } = await import(pathToFileURL(`${folder}/node_modules/@copilotkit/aimock/dist/index.js`));
const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
mock.loadFixtureFile(fixtures);
await mock.start();
console.log(mock.url);
process.stdin.resume().on("end", () => process.exit());
