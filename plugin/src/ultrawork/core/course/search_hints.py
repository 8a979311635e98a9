"""Where to look for a goal: words of the goal and of the stack → areas worth an explorer each."""

from collections.abc import Iterable, Sequence

# Words of a topic in several languages; Latin ones also match with a short ending.
TOPICS: dict[str, frozenset[str]] = {
    topic: frozenset(words.split())
    for topic, words in {
        "auth": """auth authentication authorization oauth oauth2 sso saml jwt login logout signin signup user session
            token password credential anmeldung passwort benutzer connexion utilisateur usuario contraseña 로그인 인증
            사용자 비밀번호 ログイン 認証 ユーザー 登录 登錄 认证 用户""",
        "api": """api endpoint route rest graphql http webhook controller schnittstelle 엔드포인트 라우트 エンドポイント 接口""",
        "data": """database db model schema migration table sql query orm datenbank données 데이터베이스 스키마 모델
            마이그레이션 データベース スキーマ 数据库 模型""",
        "test": "test coverage flaky fixture testen prueba 테스트 커버리지 テスト 测试 測試",
        "ui": """ui component page button css style screen form layout frontend oberfläche interfaz 화면 버튼 컴포넌트
            페이지 画面 ボタン 页面 界面 组件""",
        "bug": """bug fix error crash broken fail failure regression fehler corrige erreur arregla 버그 오류 에러 고쳐 수정
            バグ 修正 エラー 错误 修复""",
        "speed": "performance slow speed memory latency langsam lent rendimiento 성능 느린 性能 遅い 慢",
        "shape": "refactor rename move split clean restructure umbau 리팩터링 리팩토링 リファクタリング 重构",
        "cli": "cli flag command option argument befehl 명령 옵션 コマンド 命令",
        "config": "config configuration setting environment einstellung 설정 환경 設定 配置",
        "docs": "docs readme documentation dokumentation 문서 ドキュメント 文档",
    }.items()
}
# (topic of the goal, words of the stack or none, areas)
MATRIX: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("auth", ("next",), ("middleware and api/auth", "the user model")),
    ("auth", ("express",), ("routes and passport set-up", "sessions")),
    ("auth", (), ("how callers are authenticated", "where users are stored")),
    ("api", (), ("existing routes and controllers", "request and response schemas")),
    ("data", ("prisma",), ("schema.prisma and migrations", "existing models")),
    ("data", ("typeorm",), ("entities and migrations",)),
    ("data", (), ("models and how they are stored", "migrations")),
    ("test", (), ("existing tests and their set-up", "fixtures and doubles")),
    ("ui", ("react", "next", "vue", "svelte"), ("components and styles", "how state reaches them")),
    ("bug", (), ("the code that the failure names, and its callers", "tests around it")),
    ("speed", (), ("the hot path", "what is measured today")),
    ("shape", (), ("every user of what moves", "tests that hold it")),
    ("cli", (), ("how arguments are parsed", "help texts and their tests")),
    ("config", (), ("where settings are read", "defaults and their tests")),
    ("docs", (), ("existing documents and what checks them",)),
)
_ENDINGS = ("s", "es", "ed", "ing", "ion", "ions", "en", "er", "n", "e")
MOST = 5
_LATIN = 0x24F


def list_areas(goal: str, stack: Iterable[str], own: Sequence[str] = ()) -> list[str]:
    """Return at most five areas; `own` are the project's, as `word, word: area, area`. A goal without a match gets
    one."""
    words = _words(goal)
    known = " ".join(stack).lower()
    hints = [area for keys, areas in _parse_own(own) if _speaks(words, keys) for area in areas]
    covered: set[str] = set()
    for topic, needs, places in MATRIX:
        if topic in covered or not _speaks(words, TOPICS[topic]):
            continue
        if needs and not any(need in known for need in needs):
            continue
        covered.add(topic)
        hints += places
    return (list(dict.fromkeys(hints)) or ["where the goal's words occur, and what depends on it"])[:MOST]


def _words(goal: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in goal.lower()).split())


def _speaks(words: set[str], keys: Iterable[str]) -> bool:
    return any(_is_met(word, key) for key in keys for word in words)


def _is_met(word: str, key: str) -> bool:
    """Return whether a word matches with or without an ending; in languages without spaces, anywhere in a word."""
    if not key.isascii() and ord(key[0]) > _LATIN:
        return key in word
    return word == key or (word.startswith(key) and word[len(key) :] in _ENDINGS)


def _parse_own(lines: Sequence[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    parsed = [line.partition(":") for line in lines if ":" in line]
    return [(_split(keys.lower()), _split(places)) for keys, _, places in parsed]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
