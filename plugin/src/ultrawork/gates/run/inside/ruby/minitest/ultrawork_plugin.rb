# Writes the result of each test as JUnit XML. Minitest loads it by its name; it does nothing in runs of the user.

module Minitest
  # Collects results while tests run, and writes them when the run ends.
  class UltraworkReporter < AbstractReporter
    SPECIAL = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;" }.freeze

    def initialize(path)
      super()
      @path = path
      @rows = []
    end

    # Whatever goes wrong here must not change the run: without a whole report, the printed counts are read.
    def record(result)
      @rows << row(result)
    rescue StandardError
      @path = nil
    end

    def report
      File.write(@path, "<testsuites><testsuite>\n#{@rows.join("\n")}\n</testsuite></testsuites>\n") if @path
    rescue SystemCallError
      nil
    end

    private

    def row(result)
      # A spec is called test_0001_what it does, and the number moves with its neighbors.
      name = result.name.sub(/\Atest_\d{4}_/, "")
      file = result.source_location.first.to_s.delete_prefix("#{Dir.pwd}/")
      head = %(<testcase classname="#{text(result.klass)}" name="#{text(name)}" file="#{text(file)}">)
      "#{head}#{result.failures.map { |failure| outcome(failure) }.join}</testcase>"
    end

    def outcome(failure)
      return "<skipped/>" if failure.is_a?(Skip)

      error = failure.is_a?(UnexpectedError) ? failure.error : failure
      said = error.equal?(failure) ? failure.message : "#{error.class}: #{error.message}"
      frames = (error.backtrace || []).map { |frame| frame.delete_prefix("#{Dir.pwd}/") }
      own = frames.grep_v(%r{\A/|\A<internal:}).map { |frame| frame.sub(/:in .*/, ": ") }.reverse
      %(<failure message="#{text(said)}">#{text(own.join("\n"))}</failure>)
    end

    def text(value)
      value.to_s.encode("UTF-8", invalid: :replace, undef: :replace).gsub(/[&<>"]/, SPECIAL).gsub(/[\x00-\x08\x0B\x0C\x0E-\x1F]/, "?")
    end
  end

  def self.plugin_ultrawork_init(_options)
    folder = ENV["ULTRAWORK_JUNIT"]
    reporter << UltraworkReporter.new(File.join(folder, "minitest-#{Process.pid}.xml")) if folder
  end
end
