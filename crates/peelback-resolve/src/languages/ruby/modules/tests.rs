//! Tests of the files that Ruby code loads.

use super::{RubyModules, require_paths_in_text};
use crate::modules::testing::ProjectFixture;

#[test]
fn required_files_are_below_load_paths_or_beside_the_file() {
    let files = [
        ("shop.gemspec", "Gem::Specification.new { |s| s.require_paths = ['lib', 'ext'] }\n"),
        (
            "lib/shop.rb",
            "require 'json'\nrequire 'shop/order'\nrequire_relative 'shop/item'\nautoload :Cart, 'shop/cart'\nrequire 'native'\nrequire_relative 'missing'\n",
        ),
        ("lib/shop/order.rb", "module Shop; end\n"),
        ("lib/shop/item.rb", "module Shop; end\n"),
        ("lib/shop/cart.rb", "module Shop; end\n"),
        ("ext/native.rb", "NATIVE = 1\n"),
        (
            "test/order_test.rb",
            "require 'helper'\nrequire File.expand_path('../helper', __FILE__)\nrequire \"#{__dir__}/helper\"\nrequire './lib/shop'\n",
        ),
        ("test/helper.rb", "require 'shop'\n"),
        ("other/lib/shop/order.rb", "module Shop; end\n"),
        ("other/lib/main.rb", "require 'shop/order'\n"),
    ];
    let project = ProjectFixture::new(RubyModules::new, &files);
    assert_eq!(
        project.import_targets("lib/shop.rb"),
        [
            "external: json",
            "lib/shop/order.rb",
            "lib/shop/item.rb",
            "lib/shop/cart.rb",
            "ext/native.rb",
            "unresolved: missing",
        ]
    );
    let helper = "test/helper.rb";
    // The constant `File` leads to no file of the project, and so to the file itself.
    let own = "test/order_test.rb";
    assert_eq!(project.import_targets(own), [helper, helper, own, helper, "lib/shop.rb"]);
    assert_eq!(project.import_targets("other/lib/main.rb"), ["other/lib/shop/order.rb"]);
    assert!(project.assert_dependents_contain_texts() >= 8);
}

#[test]
fn paths_outside_of_the_project_are_no_packages() {
    let files = [("app.rb", "load '/etc/app.rb'\nload './missing.rb'\nrequire 'json/ext'\n"), ("other.rb", "")];
    let project = ProjectFixture::new(RubyModules::new, &files);
    let unresolved = ["unresolved: /etc/app.rb", "unresolved: ./missing.rb"];
    assert_eq!(project.import_targets("app.rb"), [unresolved[0], unresolved[1], "external: json"]);
}

#[test]
fn constants_lead_to_files_by_convention() {
    let files = [
        ("app/models/order.rb", "class Order < ApplicationRecord\n  LIMIT = Admin::UserList::SIZE\nend\n"),
        ("app/models/concerns/billable.rb", "module Billable; end\n"),
        (
            "app/models/admin/user_list.rb",
            "module Admin\n  class UserList\n    include Billable\n    Helper.new\n  end\nend\n",
        ),
        ("app/models/admin/helper.rb", "class Admin::Helper\n  UserList\nend\n"),
        ("app/lib/http_client.rb", "class HTTPClient; end\n"),
        ("app/lib/api.rb", "HTTPClient.new\n"),
    ];
    let project = ProjectFixture::new(RubyModules::new, &files);
    assert_eq!(project.import_targets("app/models/order.rb"), ["app/models/order.rb", "app/models/admin/user_list.rb"]);
    assert_eq!(
        project.import_targets("app/models/admin/user_list.rb"),
        ["app/models/concerns/billable.rb", "app/models/admin/helper.rb"]
    );
    assert_eq!(project.import_targets("app/models/admin/helper.rb"), ["app/models/admin/user_list.rb"]);
    assert_eq!(project.import_targets("app/lib/api.rb"), ["app/lib/http_client.rb"]);
    project.assert_dependents_contain_texts();
}

#[test]
fn load_paths_of_a_specification_are_read() {
    for (text, expected) in [
        ("s.require_paths = [\"lib\"]", vec!["lib"]),
        ("s.require_paths = %w[lib ext/native]", vec!["lib", "ext/native"]),
        ("s.require_path = 'source'", vec!["source"]),
        ("s.name = 'x'", vec!["lib"]),
    ] {
        assert_eq!(require_paths_in_text(text), expected, "{text}");
    }
}
