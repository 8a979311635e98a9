"""Node: package scripts and who runs them, else what is installed and configured."""

import json

import pytest


def package(scripts=None, **more):
    return json.dumps({"name": "x", "scripts": scripts or {}, **more}, indent=2)


JEST = package({"test": "jest"})

ROWS = [
    (
        "a package.json that is too large",
        {"package.json": JEST + " " * 600_000},
        [],
        ["package.json: cannot be read, or is larger than 500 kB"],
    ),
    ("a package.json that is a list", {"package.json": "[]"}, [], ["package.json: has no JSON table"]),
    ("npm", {"package.json": JEST}, ["test: npm test | package.json:4 | jest"], []),
    (
        "pnpm by its lock file",
        {"package.json": JEST, "pnpm-lock.yaml": ""},
        ["test: pnpm test | package.json:4 | jest"],
        [],
    ),
    ("yarn by its lock file", {"package.json": JEST, "yarn.lock": ""}, ["test: yarn test | package.json:4 | jest"], []),
    (
        "bun has a runner of its own called test",
        {"package.json": JEST, "bun.lock": ""},
        ["test: bun run test | package.json:4 | jest"],
        [],
    ),
    (
        "packageManager wins over a stale lock file",
        {"package.json": package({"test": "vitest run"}, packageManager="pnpm@9.1.0"), "package-lock.json": "{}"},
        ["test: pnpm test | package.json:4 | vitest"],
        [],
    ),
    (
        "node --test",
        {"package.json": package({"test": "node --test test/"})},
        ["test: npm test | package.json:4 | node"],
        [],
    ),
    (
        "node with options",
        {"package.json": package({"test": "NODE_ENV=test node --import tsx --test"})},
        ["test: npm test | package.json:4 | node"],
        [],
    ),
    ("tap", {"package.json": package({"test": "tap"})}, ["test: npm test | package.json:4 | tap"], []),
    (
        "tape under nyc",
        {"package.json": package({"test": "nyc --reporter=lcov tape 'test/*.js'"})},
        ["test: npm test | package.json:4 | tape"],
        [],
    ),
    (
        "ava after a linter",
        {"package.json": package({"test": "xo && c8 ava"})},
        ["test: npm test | package.json:4 | ava"],
        [],
    ),
    (
        "react",
        {"package.json": package({"test": "react-scripts test"})},
        ["test: npm test | package.json:4 | jest"],
        [],
    ),
    (
        "mocha by its path",
        {"package.json": package({"test": "node ./node_modules/mocha/bin/_mocha"})},
        ["test: npm test | package.json:4 | mocha"],
        [],
    ),
    (
        "run-s with patterns",
        {"package.json": package({"test": "run-s test:*", "test:lint": "eslint .", "test:unit": "vitest run"})},
        ["test: npm test | package.json:4 | vitest"],
        [],
    ),
    (
        "concurrently",
        {"package.json": package({"test": "concurrently 'npm:lint' 'mocha'", "lint": "eslint ."})},
        ["test: npm test | package.json:4 | mocha"],
        [],
    ),
    (
        "yarn starts a program by its name",
        {"package.json": package({"test": "yarn lint && yarn jest", "lint": "eslint ."}), "yarn.lock": ""},
        ["test: yarn test | package.json:4 | jest"],
        ["yarn run lint: yarn test already runs it"],
    ),
    (
        "a shell inside",
        {"package.json": package({"test": "sh -c 'mocha && echo ok'"})},
        ["test: npm test | package.json:4 | mocha"],
        [],
    ),
    (
        "npm's own placeholder is no gate",
        {"package.json": package({"test": 'echo "Error: no test specified" && exit 1'})},
        [],
        ["npm test: only prints that no test is specified"],
    ),
    (
        "a test that does nothing is no gate",
        {"package.json": package({"test": "exit 0"})},
        [],
        ["npm test: only prints and checks nothing"],
    ),
    (
        "a watching test gives way to the one for CI",
        {"package.json": package({"test": "jest --watch", "test:ci": "jest --ci"})},
        ["test: npm run test:ci | package.json:5 | jest"],
        ["npm test: watches files and never ends"],
    ),
    (
        "a watching test gives way to the runner",
        {"package.json": package({"test": "vitest -w"}, devDependencies={"vitest": "^3"})},
        ["test: node_modules/.bin/vitest run | package.json | vitest"],
        ["npm test: watches files and never ends"],
    ),
    (
        "a test of what changed gives way to the runner",
        {"package.json": package({"test": "jest -o --ci"}, devDependencies={"jest": "^30"})},
        ["test: node_modules/.bin/jest | package.json | jest"],
        ["npm test: runs only part of the tests (-o); the whole is `jest --ci`"],
    ),
    (
        "watching in a script behind it",
        {"package.json": package({"test": "npm run watch", "watch": "onchange 'src/**' -- mocha"})},
        [],
        ["npm test: watches files and never ends", "npm run watch: watches"],
    ),
    (
        "--watch=false is no watching",
        {"package.json": package({"test": "jest --watch=false"})},
        ["test: npm test | package.json:4 | jest"],
        [],
    ),
    (
        "-w of npm is a workspace",
        {"package.json": package({"test": "npm run unit -w packages/a"})},
        ["test: npm test | package.json:4 | "],
        [],
    ),
    (
        "dev, start and serve are noted",
        {"package.json": package({"dev": "vite", "start": "node .", "serve": "http-server"})},
        [],
        ["npm run dev: watches", "npm run start: watches", "npm run serve: watches"],
    ),
    (
        "names with reach run only by configuration",
        {"package.json": package({"test:e2e": "playwright test", "release": "np", "test:integration": "jest"})},
        [],
        [
            "npm run test:e2e: a check named e2e",
            "npm run release: a check named release",
            "npm run test:integration: a check named",
        ],
    ),
    (
        "lint and types by script",
        {
            "package.json": package({"lint": "eslint src", "typecheck": "tsc --noEmit", "test": "mocha"}),
            "tsconfig.json": "{}",
            ".eslintrc.json": "{}",
        },
        [
            "test: npm test | package.json:6 | mocha",
            "lint: npm run lint | package.json:4 | ",
            "types: npm run typecheck | package.json:5 | ",
        ],
        [],
    ),
    (
        "a linter that mends gives way to the one that looks",
        {"package.json": package({"lint": "eslint --fix ."}), "eslint.config.js": "", "node_modules/.bin/eslint": ""},
        ["lint: node_modules/.bin/eslint . | eslint.config.js | "],
        ["npm run lint: rewrites files"],
    ),
    (
        "eslint in package.json",
        {"package.json": package(eslintConfig={"root": True})},
        ["lint: node_modules/.bin/eslint . | package.json | "],
        [],
    ),
    (
        "biome",
        {"package.json": package(), "biome.json": "{}"},
        ["lint: node_modules/.bin/biome check . | biome.json | "],
        [],
    ),
    ("no package.json, no eslint", {"eslint.config.js": ""}, [], []),
    (
        "typescript",
        {"package.json": package(devDependencies={"typescript": "^5.4.0"}), "tsconfig.json": "{}"},
        ["types: node_modules/.bin/tsc --noEmit | tsconfig.json | "],
        [],
    ),
    (
        "a tsconfig for editors only",
        {"package.json": package(), "tsconfig.json": "{}"},
        [],
        ["tsc: tsconfig.json exists, but typescript is not a dependency"],
    ),
    (
        "references build without writing since 5.6",
        {
            "package.json": package(devDependencies={"typescript": "~5.6.2"}),
            "tsconfig.json": '{"files": [], "references": []}',
        },
        ["types: node_modules/.bin/tsc -b --noEmit | tsconfig.json | "],
        [],
    ),
    (
        "references would write files before 5.6",
        {
            "package.json": package(devDependencies={"typescript": "^4.9.0"}),
            "tsconfig.json": '{"files": [], "references": []}',
        },
        [],
        ["tsc: this tsconfig.json only supports a build, which would write files"],
    ),
    (
        "vue",
        {"package.json": package(devDependencies={"vue-tsc": "2"}), "tsconfig.json": "{}"},
        ["types: node_modules/.bin/vue-tsc --noEmit | tsconfig.json | "],
        [],
    ),
    (
        "svelte by content of check",
        {"package.json": package({"check": "svelte-kit sync && svelte-check"})},
        ["types: npm run check | package.json:4 | "],
        [],
    ),
    ("types that only lists is by content", {"package.json": package({"types": "node make-types.js"})}, [], []),
    (
        "a runner without a script",
        {"package.json": package(devDependencies={"mocha": "^10"}), "node_modules/.bin/mocha": ""},
        ["test: node_modules/.bin/mocha | package.json | mocha"],
        [],
    ),
    (
        "built-in tests without a script",
        {"package.json": package(), "test/a.test.js": ""},
        ["test: node --test | package.json | node"],
        [],
    ),
    (
        "built-in tests of bun",
        {"package.json": package(), "src/a.test.ts": "", "bun.lock": ""},
        ["test: bun test | package.json | bun"],
        [],
    ),
    (
        "yarn without node_modules",
        {"package.json": package(devDependencies={"jest": "29"}), ".pnp.cjs": "", "yarn.lock": ""},
        ["test: yarn run jest | package.json | jest"],
        [],
    ),
    (
        "a build for development ends like any build",
        {"package.json": package({"build": "npm run build:dev", "build:dev": "webpack"})},
        ["build: npm run build | package.json:4 | "],
        [],
    ),
    (
        "vitest that runs and watches at once",
        {"package.json": package({"test": "vitest run --watch -u", "test:ci": "vitest run"})},
        ["test: npm run test:ci | package.json:5 | vitest"],
        ["npm test: watches files and never ends"],
    ),
    (
        "a program that is a test file",
        {"package.json": package({"test": "node test.js"})},
        ["test: npm test | package.json:4 | "],
        [],
    ),
    ("broken package.json", {"package.json": "{'test': 1"}, [], ["package.json: is not valid JSON"]),
    ("odd package.json", {"package.json": '{"scripts": ["test"], "devDependencies": 1}'}, [], []),
    ("scripts that are no text", {"package.json": '{"scripts": {"test": 1, "lint": null}}'}, [], []),
]


@pytest.mark.parametrize(("files", "gates", "left_out"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_found(project, files, gates, left_out):
    here = project(files)
    assert here.lines() == gates
    seen = here.left_out()
    assert [start for start in left_out if not any(line.startswith(start) for line in seen)] == []


def test_definition_is_the_script_with_what_runs_before_and_after_it(project):
    gate = project({"package.json": package({"pretest": "npm run build", "test": "mocha", "build": "tsc"})}).gate()
    assert gate.definition == "test: pretest\n\tmocha\npretest: npm run build\nbuild: tsc"


def test_a_new_dependency_leaves_the_definition_alone(project):
    before = project({"package.json": package({"test": "mocha"})}).gate().definition
    after = project({"package.json": package({"test": "mocha"}, dependencies={"left": "1"})}).gate().definition
    assert after == before


def test_a_loop_of_scripts_ends(project):
    here = project({"package.json": package({"test": "npm run a", "a": "npm run b", "b": "npm test && jest"})})
    assert here.gate().runner == "jest"


SETTINGS_ELSEWHERE = [
    ("jest.config.js", "module.exports = { ...require('./ci/base') };\n", "ci/base.js", True),
    ("jest.config.mjs", "import base from './ci/base.mjs';\nexport default base;\n", "ci/base.mjs", True),
    ("jest.config.json", '{"preset": "./ci"}', "ci/index.js", True),
    ("jest.config.json", '{"transform": {"x$": "<rootDir>/ci/x.js"}}', "ci/x.js", True),
    ("jest.config.json", '{"moduleNameMapper": {"^@/x$": "<rootDir>/ci/x.js"}}', "ci/x.js", False),
    ("jest.config.js", "const { name } = require('./package.json');\n", "shop.js", False),
    ("jest.config.js", "module.exports = require('./src/shop.js');\n", "src/shop.js", False),
    ("ci/jest.json", '{"rootDir": ".."}', "ci/jest.json", True),
    ("jest.config.js", "module.exports = { reporters: ['default', './ci/told.js'] };\n", "ci/told.js", True),
    ("jest.config.js", "module.exports = { projects: ['<rootDir>/ci/one.js'] };\n", "ci/one.js", True),
    ("jest.config.js", "module.exports = { snapshotSerializers: ['./ci/plain.js'] };\n", "ci/plain.js", True),
    ("jest.config.js", "module.exports = { roots: ['default', './ci/told.js'] };\n", "ci/told.js", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "path", "counts"), SETTINGS_ELSEWHERE)
def test_what_settings_take_in_is_part_of_the_definition(project, name, text, path, counts):
    files = {"package.json": package({"test": "jest -c ci/jest.json"}), name: text}
    before = project({path: "1;\n", **files}).gate("test")
    after = project({**files, path: files.get(path, "") + "2;\n"}).gate("test")
    assert (before.definition != after.definition) is counts
    assert (path in after.files) is counts


def test_settings_of_types_are_followed_through_what_they_extend(project):
    files = {
        "package.json": package({"typecheck": "tsc -p web"}),
        "web/tsconfig.json": '{"extends": "../strict.json"}',
        "strict.json": '{"extends": "./all"}',
        "all.json": '{"compilerOptions": {"strict": true}}',
    }
    assert {"web/tsconfig.json", "strict.json", "all.json"} <= set(project(files).gate("types").files)
